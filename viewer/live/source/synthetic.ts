import { frameOf } from "../../../core/plainFrame.ts";
import { Rpc } from "../../../core/rpc.ts";
import { framesOf, type Recording } from "../../../sources/index.ts";
import { nameOfScene, type OfferedName } from "./scenes.ts";
import type { Question, SceneAnswer } from "./syntheticWorker.ts";

/** A frame costs some 35 ms of a thread. At most this many threads paint, and no more than half of the machine's. */
const MOST_PAINTERS = 6;

/** A synthetic scene, ray-traced in workers so that the page stays quick; frames are painted side by side. */
export async function openSynthetic(scene: OfferedName): Promise<Recording> {
  const title = nameOfScene(scene);
  const painters = [painterOf(title)];
  const { facts } = await painters[0].rpc.ask({ of: scene });
  if (!facts) throw new Error(`${title}: its worker does not know it`);
  const count = Math.max(1, Math.min(MOST_PAINTERS, navigator.hardwareConcurrency >> 1));
  /** The painters that have painted: a first frame, for which light is computed, takes up to half a second. */
  const ready = [...painters];
  let closed = false;
  const begin = () => {
    // The others start after the first frame, which they would hold up, and not for a scene that was closed meanwhile.
    while (!closed && painters.length < count) {
      const painter = painterOf(title);
      painters.push(painter);
      const painted = painter.rpc.ask({ of: scene }).then(() => painter.rpc.ask({ of: 0 }));
      // If a painter does not start, the others paint.
      painted.then(() => void ready.push(painter)).catch(() => {});
    }
  };
  const idlest = () => ready.reduce((best, one) => (one.rpc.waiting < best.rpc.waiting ? one : best));
  const recording: Recording = {
    ...facts,
    ahead: count,
    // Two scenes may show the same things by different cameras.
    name: title,
    warnings: [],
    get frames$() {
      return framesOf(recording);
    },
    async read(index) {
      const { frame } = await idlest().rpc.ask({ of: index });
      if (!frame) throw new Error(`${title}: there is no frame ${index}`);
      begin();
      return frameOf(frame);
    },
    async close() {
      closed = true;
      for (const { worker } of painters) worker.postMessage("close");
    },
  };
  return recording;
}

/** A worker that paints frames of one scene, once it was asked for that. */
function painterOf(title: string) {
  const worker = new Worker(new URL("./syntheticWorker.ts", import.meta.url), { type: "module", name: title });
  const rpc = new Rpc<Question, SceneAnswer>((question) => worker.postMessage(question));
  worker.addEventListener("message", ({ data }: MessageEvent<SceneAnswer>) =>
    rpc.answer(data.id, data.error === undefined ? data : new Error(data.error)),
  );
  worker.addEventListener("error", (event) =>
    rpc.end(new Error(`${title}: ${event.message || "its worker does not start"}`)),
  );
  return { worker, rpc };
}
