import { checkOptions } from "../../core/check.ts";
import { disposable } from "../../core/source.ts";
import { NoThread } from "../../core/thread.ts";
import { openHere } from "./openLiveHere.ts";
import { liveRules } from "./options.ts";
import type { LiveOptions } from "./protocol.ts";
import { openRemote } from "./remote/client.ts";
import { liveThread } from "./remote/thread.ts";
import { checkAddress } from "./socket.ts";
import type { LiveSource } from "./source.ts";

export { isLive, type LiveSource } from "./source.ts";

/**
 * Connects to a live stream: the Foxglove WebSocket protocol (foxglove_bridge, `depthloom serve`), or raw depth (docs/live.md); the server
 * chooses the protocol. `address` is a ws: or wss: URL. A connection that is lost later is made again. Rejects with a `SourceError` where
 * the address is wrong, nobody answers, or no depth stream is offered within 10 s; with its subclass `SeveralTopicsError` where the server
 * offers several and `topic` names none; with an `OptionError` for an option that is misspelt or out of range; and with the reason of
 * `signal` once that is aborted, which is ignored when the stream is open. The stream is received and decoded in a worker (in Node a
 * thread), or on the caller's own thread where none starts.
 *
 * @example
 * const camera = await openLive("ws://robot:8765", { topic: "/camera/depth/image_rect_raw" });
 */
export async function openLive(address: string, options: LiveOptions = {}): Promise<LiveSource> {
  checkAddress(address);
  checkOptions("openLive", options, liveRules);
  options.signal?.throwIfAborted();
  try {
    if (import.meta.env.SSR || typeof Worker !== "undefined")
      return disposable(await openRemote(liveThread(), address, options));
  } catch (error) {
    if (!(error instanceof NoThread)) throw error;
  }
  return disposable(await openHere(address, options));
}
