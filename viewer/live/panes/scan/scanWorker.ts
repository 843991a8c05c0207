import { frameOf } from "../../../../core/plainFrame.ts";
import type { Rigid } from "../../../../core/pose.ts";
import { release } from "../../../../core/release.ts";
import { meshFile } from "../../../../scan/mesh/files.ts";
import { finished } from "../../../../scan/mesh/finish.ts";
import { type ModelAnswer, type Order, RemoteModel } from "../../../../scan/remoteModel.ts";
import { Session } from "../../../../scan/session.ts";
import type { Fusable, VolumeOptions } from "../../../../scan/volume/volume.ts";
import { textOf } from "../../state/messageText.ts";
import type { CarriedOut, Ordered, ScanAnswer, ScanRequest } from "./messages.ts";

/** The time that meshing gets beside a frame, and while no frame comes, ms. */
const BESIDE_MS = 25;
const ALONE_MS = 20;

let session: Session | undefined;
/** The newest frame, and its number in the page. */
let newest: { readonly depth: Fusable["depth"]; readonly number: number } | undefined;
/** Orders to the page that are not carried out yet. */
const ordered = new Map<number, (answer: CarriedOut["answer"]) => void>();
let orders = 0;
let line: Promise<unknown> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<ScanRequest | CarriedOut>) => {
  if (data.kind === "carriedOut") {
    ordered.get(data.number)?.(data.answer);
    ordered.delete(data.number);
    return;
  }
  line = line.then(async () => {
    const answer = await answered(data).catch((error): ScanAnswer => ({ kind: "failed", text: textOf(error) }));
    self.postMessage(answer, { transfer: memoryOf(answer) });
  });
});

const order: Order = async (order) => {
  const number = orders++;
  const done = new Promise<CarriedOut["answer"]>((resolve) => ordered.set(number, resolve));
  self.postMessage({ kind: "order", number, order } satisfies Ordered);
  const answer = await done;
  if ("failed" in answer) throw new Error(answer.failed);
  return answer satisfies ModelAnswer;
};

async function answered(request: ScanRequest): Promise<ScanAnswer> {
  if (request.kind === "begin") {
    session?.destroy();
    const numberOf = ({ depth }: Fusable) => (depth === newest?.depth ? newest?.number : undefined);
    const open = (options: VolumeOptions) => RemoteModel.open(options, order, numberOf);
    session = new Session(request.fineness, request.sigma, request.onGpu ? open : undefined);
  }
  if (!session) throw new Error("no scan has begun");
  switch (request.kind) {
    case "frame": {
      const beganMs = performance.now();
      const toWorld = await added(session, request);
      return progress(session, BESIDE_MS, true, toWorld, performance.now() - beganMs);
    }
    case "undo":
    case "redo":
      await session[request.kind]();
      return progress(session, ALONE_MS, false);
    case "save":
      return saved(session, request);
    default:
      return progress(session, ALONE_MS, false);
  }
}

async function added(session: Session, { number, frame, said, hasLost }: ScanRequest & { kind: "frame" }) {
  if (hasLost) session.placer.lose();
  const seen = frameOf(frame);
  newest = { depth: seen.depth, number };
  const toWorld = await session.add(seen, said);
  release(frame.depth);
  if (frame.color) release(frame.color);
  return toWorld;
}

async function progress(
  session: Session,
  budgetMs: number,
  onlyDue: boolean,
  toWorld?: Rigid,
  addMs = 0,
): Promise<ScanAnswer> {
  const beganMs = performance.now();
  const chunks = await session.mesh(budgetMs, onlyDue);
  const meshMs = performance.now() - beganMs;
  const { waiting, undoable, redoable, frames, placer, isFull } = session;
  const { isLost, keyframes } = placer;
  const { loops, movedM } = keyframes;
  const where = { toWorld, isLost, loops, movedM };
  return { kind: "progress", chunks, waiting, addMs, meshMs, undoable, redoable, frames, isFull, ...where };
}

async function saved(session: Session, { format, kept }: ScanRequest & { kind: "save" }): Promise<ScanAnswer> {
  const volume = await session.read();
  const { mesh } = volume ? await finished(volume, kept) : {};
  if (!mesh || mesh.indices.length === 0)
    throw new Error("no surface was seen well enough by now: scan on, or crop less");
  const bytes = meshFile(mesh, format) as Uint8Array<ArrayBuffer>;
  return { kind: "file", bytes, triangles: mesh.indices.length / 3 };
}

/** The arrays that an answer hands over in place of copying them. */
function memoryOf(answer: ScanAnswer): ArrayBuffer[] {
  if (answer.kind === "file") return [answer.bytes.buffer];
  const { chunks } = answer.kind === "progress" ? answer : { chunks: [] };
  return chunks.flatMap(({ positions, normals, colours, indices }) =>
    [positions, normals, colours, indices].map(({ buffer }) => buffer as ArrayBuffer),
  );
}
