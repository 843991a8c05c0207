import type { Fact } from "../recorded/facts.ts";
import { type Source, SourceError } from "../source.ts";
import { arrivalOf, DEPTH_PROTOCOL } from "./depth.ts";
import { Intake } from "./intake.ts";
import { Link } from "./link.ts";
import type { LiveOptions, Protocol, Start } from "./protocol.ts";
import type { LiveReport } from "./report.ts";
import { checkAddress } from "./socket.ts";

/** A camera at the other end of a connection. It cannot wait, so that `process("latest")` is for it. */
export interface LiveSource extends Source {
  /** What it is taken to be, for people. */
  readonly facts: readonly Fact[];
  /** How it fares now. */
  readonly report: LiveReport;
}

/** Whether a source is at the other end of a connection. */
export const isLive = (source: Source): source is LiveSource => "report" in source;

/** How long the other end may take to say what it has. */
const READY_MS = 10_000;
/** Where nothing says how many frames there are in a second. */
const USUAL_FPS = 30;

/**
 * Connects to a live stream: the Foxglove WebSocket protocol (foxglove_bridge, `depthloom serve`), or raw depth (docs/live.md).
 * The server says which. A connection that is lost later is made again. Throws a `SourceError` if there is no stream to begin with.
 */
export async function openLive(address: string, options: LiveOptions = {}): Promise<LiveSource> {
  checkAddress(address);
  const starts = await loadStarts();
  const intake = new Intake(() => link.renew());
  let protocol: Protocol | undefined;
  let ready = () => {};
  let fail = (_error: Error) => {};
  const began = new Promise<void>((resolve, reject) => {
    ready = resolve;
    fail = reject;
  });
  // It may fail before anybody waits for it.
  began.catch(() => {});
  const start = (socket: WebSocket) => {
    const speak = starts.find(({ names }) => names.includes(socket.protocol))?.start;
    if (!speak) return fail(new SourceError(`${address}: it speaks no protocol that is known: see docs/live.md`));
    intake.set("connected");
    protocol = speak(socket, { address, options, intake, ready, fail });
    if (intake.watched) protocol.watch(true);
  };
  const link = new Link(
    address,
    starts.flatMap(({ names }) => names),
    start,
    () => {
      protocol = undefined;
      intake.set("reconnecting");
    },
  );
  const timer = setTimeout(
    () => fail(new SourceError(`${address}: it has no depth to offer after ${READY_MS / 1000} s`)),
    READY_MS,
  );
  try {
    await link.open();
    await began;
  } catch (error) {
    link.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    name: address,
    format: protocol?.format ?? "live",
    fps: options.fps ?? USUAL_FPS,
    frames$: intake.frames((on) => protocol?.watch(on)),
    get facts() {
      return protocol?.facts ?? [];
    },
    get report() {
      return intake.report;
    },
    async close() {
      link.close();
      intake.end();
    },
  };
}

const depth: Start = (socket, { intake, ready }) => {
  socket.onmessage = ({ data }) => {
    try {
      intake.take(arrivalOf(data));
    } catch (error) {
      intake.malformed(error);
    }
  };
  ready();
  return { format: "depth stream", facts: [], watch() {} };
};

/** What is spoken. The larger one is loaded when somebody connects. */
async function loadStarts(): Promise<readonly { readonly names: readonly string[]; readonly start: Start }[]> {
  const { FOXGLOVE_PROTOCOLS, foxglove } = await import("./foxglove.ts");
  return [
    { names: FOXGLOVE_PROTOCOLS, start: foxglove },
    { names: [DEPTH_PROTOCOL], start: depth },
  ];
}
