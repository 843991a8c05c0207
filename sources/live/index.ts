import { shownAddress } from "../core/address.ts";
import { checkOptions } from "../core/check.ts";
import { type Source, SourceError } from "../core/source.ts";
import type { Fact, OfferedTopic } from "../recorded/facts.ts";
import { Intake } from "./intake.ts";
import { Link } from "./link.ts";
import { liveRules } from "./options.ts";
import type { LiveOptions, Protocol } from "./protocol.ts";
import { loadProtocols } from "./protocols.ts";
import type { LiveReport } from "./report.ts";
import { checkAddress } from "./socket.ts";

/** A camera at the other end of a connection. It cannot wait, so use it with `process("latest")`. */
export interface LiveSource extends Source {
  /** The name of what is streamed, such as a camera's, where the server tells one; `name` is the address. */
  readonly title?: string | undefined;
  /** The stream's properties and their origins, for people to read. */
  readonly facts: readonly Fact[];
  /** The depth topics that the server offers now, where its protocol has topics. */
  readonly topics?: readonly OfferedTopic[] | undefined;
  /** The depth topic that is taken. */
  readonly topic?: string | undefined;
  /** The connection's present state and counts; each call of the getter makes a new report. */
  readonly report: LiveReport;
}

/** Whether a source is a live stream. */
export const isLive = (source: Source): source is LiveSource => "report" in source;

/** The longest time that a server may take to offer a depth stream. */
const READY_MS = 10_000;
/** The frame rate in frames per second where none is given. */
const USUAL_FPS = 30;

/**
 * Connects to a live stream: the Foxglove WebSocket protocol (foxglove_bridge, `depthloom serve`), or raw depth (docs/live.md); the server
 * chooses the protocol. `address` is a ws: or wss: URL. A connection that is lost later is made again. Rejects with a `SourceError` where
 * the address is wrong, nobody answers, or no depth stream is offered within 10 s; with its subclass `SeveralTopics` where the server
 * offers several and `topic` names none; with an `OptionError` for an option that is misspelt or out of range; and with the reason of
 * `signal` once that is aborted, which is ignored when the stream is open.
 */
export async function openLive(address: string, options: LiveOptions = {}): Promise<LiveSource> {
  checkAddress(address);
  checkOptions("openLive", options, liveRules);
  const name = shownAddress(address);
  const { waitMs = Infinity, signal } = options;
  signal?.throwIfAborted();
  const protocols = await loadProtocols();
  const intake = new Intake(() => link.renew());
  let protocol: Protocol | undefined;
  let ready = () => {};
  let fail = (_error: Error) => {};
  const began = new Promise<void>((resolve, reject) => {
    ready = resolve;
    fail = reject;
  });
  // `began` may be rejected before the code below awaits it.
  began.catch(() => {});
  const start = (socket: WebSocket) => {
    const speak = protocols.find(({ names }) => names.includes(socket.protocol))?.start;
    if (!speak) return fail(new SourceError(`${name}: it speaks no known protocol; see docs/live.md`));
    intake.set("connected");
    protocol = speak(socket, { address: name, options, intake, ready, fail });
    if (intake.watched) protocol.watch(true);
  };
  const link = new Link(
    address,
    protocols.flatMap(({ names }) => names),
    start,
    () => {
      protocol = undefined;
      intake.set("reconnecting");
    },
    {
      afterMs: waitMs,
      run: () =>
        intake.end(
          new SourceError(`${name}: the connection was lost, and no server has answered for ${waitMs / 1000} s`),
        ),
    },
  );
  const timer = setTimeout(
    () => fail(new SourceError(`${name}: it offered no depth stream within ${READY_MS / 1000} s`)),
    READY_MS,
  );
  const stop = () => {
    link.close();
    fail(new SourceError(`${name}: opening was ended`));
  };
  signal?.addEventListener("abort", stop);
  try {
    await link.open();
    await began;
  } catch (error) {
    link.close();
    throw signal?.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
  return {
    name,
    title: protocol?.title,
    format: protocol?.format ?? "live",
    fps: options.fps ?? USUAL_FPS,
    frames$: intake.frames((on) => protocol?.watch(on)),
    get facts() {
      return protocol?.facts ?? [];
    },
    get topics() {
      return protocol?.topics;
    },
    get topic() {
      return protocol?.topic;
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
