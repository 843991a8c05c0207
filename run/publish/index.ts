// The entry "depthloom/publish", for Node: hands frames on, into a ROS graph or as a live stream.

import { NEVER, type Observable, Subject, type Subscription } from "rxjs";
import { signalRule, untilAborted } from "../../core/abort.ts";
import { callable, checkArgument, checkOptions, or, type Rule, whole } from "../../core/check.ts";
import { checkFrame } from "../../core/checkFrame.ts";
import { type DepthFrame, sameLens } from "../../core/frame.ts";
import { Outlet } from "../../core/outlet.ts";
import { SourceError } from "../../core/source.ts";
import type { ProcessedFrame } from "../../pipeline/frame.ts";
import { checkAddress } from "../../sources/live/socket.ts";
import { BridgeSink, ServeSink, type Sink } from "../filter/sink.ts";
import { Bridge } from "./bridge.ts";
import { FORMS, type PublishAs } from "./forms.ts";

export type { Form, PublishAs } from "./forms.ts";

/** Where frames go: `url` is a bridge of a ROS graph, `port` a stream of this program. */
export interface PublishOptions extends PublishAs {
  /** The address of foxglove_bridge (with clientPublish) or rosbridge, "ws://robot:8765". */
  readonly url?: string;
  /** The port of a live stream that others open, as of `depthloom serve`; 0 takes a free one. */
  readonly port?: number;
  /** Where the stream listens; only this machine, "127.0.0.1", if not given. Another address gets a token. */
  readonly host?: string;
  /** For how long a lost bridge is tried again, ms; `Infinity` if not given. */
  readonly waitMs?: number;
  /** Aborting it ends the publication: `publish`, or later `ended`, rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with what is amiss while frames go on. */
  readonly onWarning?: (line: string) => void;
}

const text: Rule = { expects: "a text", holds: (value) => typeof value === "string" };
const publishRules = {
  url: text,
  host: text,
  namespace: text,
  frameId: text,
  port: whole(0, 65535),
  waitMs: or(whole(0), Infinity),
  onWarning: callable,
  signal: signalRule,
  forms: {
    expects: `a list of ${FORMS.join(", ")}`,
    holds: (value) => Array.isArray(value) && value.every((one) => FORMS.includes(one)),
  },
} satisfies Record<keyof PublishOptions, Rule>;

/** A publication that `publish` has begun. */
export interface Publication {
  /**
   * The addresses of the stream, with its token; the bridge's address. The stream's are known with its first frame; rejects where the
   * publication ends before it.
   */
  readonly addresses: Promise<readonly string[]>;
  /**
   * The counts until now: frames that were published, frames that were left out because sending was too slow or the bridge was away, and
   * reconnects; for a stream, frames sent and dropped.
   */
  readonly report: object;
  /** Resolves when the frames have ended and all have been sent; rejects with the error that ended them. */
  readonly ended: Promise<void>;
  /** Stops, after the frame in hand. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const framesRule: Rule = {
  expects: "an Observable of frames, such as frames$ of a source",
  holds: (value) => typeof (value as Observable<unknown> | null)?.subscribe === "function",
};

/** How many frames may wait for the one that is being sent. */
const MOST_WAITING = 4;

/**
 * Publishes frames as they come: a source's own, or those that `pipeline.process` hands out, whose depth is read back. Frames that come
 * faster than they can be sent are left out, unless their source waits (`waitUntil`). Rejects with a `SourceError` where the bridge does
 * not answer or takes no messages, where not exactly one of `url` and `port` is given, or with it an option of the other; with an
 * `OptionError` for an option that is misspelt or out of range.
 *
 * @example
 * const { ended } = await publish(camera.frames$.pipe(pipeline.process("latest")), { url: "ws://robot:8765" });
 */
export async function publish(
  frames$: Observable<DepthFrame | ProcessedFrame>,
  options: PublishOptions,
): Promise<Publication> {
  checkArgument("publish", "the frames", framesRule, frames$);
  checkOptions("publish", options, publishRules);
  const { url, port, host = "127.0.0.1", waitMs = Infinity, onWarning: warn = () => {}, signal, ...as } = options;
  signal?.throwIfAborted();
  if (url !== undefined) checkAddress(url);
  if ((url === undefined) === (port === undefined)) throw new SourceError("publish: give either a url or a port");
  const [place, others] =
    url === undefined
      ? (["a bridge (url)", ["namespace", "forms", "frameId", "waitMs"]] as const)
      : (["a stream (port)", ["host"]] as const);
  const idle = others.find((name) => options[name] !== undefined);
  if (idle) throw new SourceError(`publish: ${idle} is for ${place} alone: leave it out`);
  let opened = (_: readonly string[]) => {};
  let failed = (_: unknown) => {};
  const addresses = new Promise<readonly string[]>((resolve, reject) => {
    [opened, failed] = [resolve, reject];
  });
  addresses.catch(() => {});
  let sink: Sink;
  if (url !== undefined) {
    const open = () => Bridge.open(url, { waits: false, waitMs, warn });
    sink = new BridgeSink(await untilAborted(signal, open, (late) => late.close()), as, url);
    opened([url]);
  } else {
    const source = { name: "published", format: "published", fps: 30, frames$: NEVER, close: async () => {} };
    const options = { host, port: port ?? 0, published: true, rate: 1, loop: false, origins: [], maxClients: 16, warn };
    sink = new ServeSink(source, options, opened);
  }
  const publication = Object.assign(handOn(frames$, sink, signal), { addresses });
  const none = new SourceError("publish: the frames ended before the first one, so that no stream was opened");
  publication.ended.then(() => failed(none), failed);
  return publication;
}

/** Hands frames to a sink, one after the other. */
function handOn(
  frames$: Observable<DepthFrame | ProcessedFrame>,
  sink: Sink,
  signal: AbortSignal | undefined,
): Omit<Publication, "addresses"> {
  const stop$ = new Subject<void>();
  const outlet = new Outlet(MOST_WAITING);
  let subscription: Subscription | undefined;
  let abort = () => {};
  const done = new Promise<void>((resolve, reject) => {
    stop$.subscribe(() => resolve());
    abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    const take = (frame: DepthFrame | ProcessedFrame) => {
      // Results must be read back before the next frame comes.
      const made = depthOf(frame);
      made.catch(() => {});
      const taken = outlet.offer(async () => sink.frame(await made).catch(inWords));
      const work = taken.then(() => outlet.failed === undefined || reject(outlet.failed));
      frame?.waitUntil?.(work);
    };
    subscription = frames$.subscribe({ next: take, error: reject, complete: resolve });
  });
  const ended = done.finally(() => {
    signal?.removeEventListener("abort", abort);
    subscription?.unsubscribe();
    return outlet.end(false, () => sink.close());
  });
  ended.catch(() => {});
  const close = async () => {
    stop$.next();
    await ended.catch(() => {});
  };
  return {
    ended,
    close,
    [Symbol.asyncDispose]: close,
    get report() {
      return { ...sink.report, leftOut: outlet.leftOut };
    },
  };
}

/** Throws the error of a sink; one of the system, that nothing can listen at an address, as a `SourceError`. */
function inWords(error: NodeJS.ErrnoException): never {
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") throw error;
  throw new SourceError(`publish: the stream cannot listen there: ${error.message}`);
}

/** The frame to publish: a source's own, checked, or one with filtered depth. */
async function depthOf(frame: DepthFrame | ProcessedFrame): Promise<DepthFrame> {
  if ("readDepth" in Object(frame)) return readBack(frame as ProcessedFrame);
  const own = frame as DepthFrame;
  if (!own?.fault) checkFrame(own);
  return own;
}

/** The frame with filtered depth, its unit and lens; colour and the pair of images where they still fit depth. */
async function readBack({ source, shape, readDepth }: ProcessedFrame): Promise<DepthFrame> {
  const { color, pair, waitUntil: _, ...rest } = source;
  const depth = await readDepth();
  return { ...rest, ...(sameLens(shape.intrinsics, source.intrinsics) && { color, pair }), ...shape, depth };
}
