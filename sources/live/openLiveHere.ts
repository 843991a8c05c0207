import { map } from "rxjs";
import { shownAddress } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import { withAssumed } from "../format/format.ts";
import { DEPTH_PROTOCOL, DEPTH_V2_PROTOCOL, depth } from "./depth.ts";
import { Intake } from "./intake.ts";
import { Link } from "./link.ts";
import { type LiveOptions, type Protocol, type Start, USUAL_FPS } from "./protocol.ts";
import { following, type OpenedLive } from "./source.ts";

/** The longest time that a server may take to offer a depth stream. */
const READY_MS = 10_000;

/** Connects on this thread: see `openLive`, and `Intake` for `wanted`. The address and the options have been checked. */
export async function openHere(address: string, options: LiveOptions, wanted?: Intake["wanted"]): Promise<OpenedLive> {
  try {
    return await openAs(await loadProtocols(), address, options, wanted);
  } catch (error) {
    // rosbridge agrees on no subprotocol.
    if (!(error instanceof SourceError) || !/sent no subprotocol/i.test(error.message)) throw error;
    return openAs([await loadUnnamed()], address, options, wanted);
  }
}

async function openAs(
  protocols: readonly KnownProtocol[],
  address: string,
  options: LiveOptions,
  wanted?: Intake["wanted"],
): Promise<OpenedLive> {
  const name = shownAddress(address);
  const { waitMs = Infinity, signal } = options;
  signal?.throwIfAborted();
  const intake = new Intake(() => link.renew(), wanted);
  let protocol: Protocol | undefined;
  let { topic, infrared = false } = options;
  let ready = () => {};
  let fail = (_error: Error) => {};
  const began = new Promise<void>((resolve, reject) => {
    [ready, fail] = [resolve, reject];
  });
  // `began` may be rejected before the code below awaits it.
  began.catch(() => {});
  const start = (socket: WebSocket) => {
    const speak = protocols.find(({ names }) => names.includes(socket.protocol))?.start;
    if (!speak) return fail(new SourceError(`${name}: it speaks no known protocol; see docs/live.md`));
    intake.set("connected");
    // Topics that came meanwhile, perhaps made from this one, do not make the choice ambiguous.
    const isReady = () => {
      // The connection may be lost by now.
      if (socket.readyState === 1) link.works();
      ready();
    };
    protocol = speak(socket, { address: name, options: { ...options, topic }, intake, ready: isReady, fail });
    protocol.wantInfrared?.(infrared);
    if (intake.watched) protocol.watch(true);
  };
  const lost = `${name}: the connection was lost, and has not worked again for ${waitMs / 1000} s`;
  const link = new Link(
    address,
    protocols.flatMap(({ names }) => names.filter(Boolean)),
    start,
    () => {
      topic = protocol?.topic ?? topic;
      protocol = undefined;
      intake.set("reconnecting");
    },
    { afterMs: waitMs, run: () => intake.end(new SourceError(lost)) },
  );
  const late = new SourceError(`${name}: it offered no depth stream within ${READY_MS / 1000} s`);
  const timer = setTimeout(() => fail(late), READY_MS);
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
  const source = {
    name,
    format: protocol?.format ?? "live",
    fps: options.fps ?? protocol?.fps ?? options.assume?.fps ?? USUAL_FPS,
    frames$: intake.frames((on) => protocol?.watch(on)).pipe(map((frame) => withAssumed(frame, protocol?.facts ?? []))),
    get facts() {
      return protocol?.facts ?? [];
    },
    set: (control: string, value: number) => protocol?.set?.(control, value),
    wantInfrared(on: boolean) {
      infrared = on;
      protocol?.wantInfrared?.(on);
    },
    get report() {
      return intake.report;
    },
    async close() {
      link.close();
      intake.end();
    },
  };
  const said = (): Partial<Protocol> => protocol ?? {};
  return following(source, said, "title", "topics", "topic", "controls", "infrared");
}

/** A protocol: the names by which client and server agree on it (WebSocket subprotocols), and the function that starts it. */
interface KnownProtocol {
  readonly names: readonly string[];
  readonly start: Start;
}

/** The protocol of servers that name none. */
async function loadUnnamed(): Promise<KnownProtocol> {
  const { rosbridge } = await import("./rosbridge.ts");
  return { names: [""], start: rosbridge };
}

/** The protocols that `openLive` offers a server, the preferred first. Foxglove's is large and is loaded only when somebody connects. */
async function loadProtocols(): Promise<readonly KnownProtocol[]> {
  const { FOXGLOVE_PROTOCOLS, foxglove } = await import("./foxglove.ts");
  return [
    { names: FOXGLOVE_PROTOCOLS, start: foxglove },
    { names: [DEPTH_V2_PROTOCOL, DEPTH_PROTOCOL], start: depth },
  ];
}
