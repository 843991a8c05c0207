import { FoxgloveClient, type IWebSocket } from "@foxglove/ws-protocol";
import { SourceError } from "../../core/source.ts";
import type { Start } from "./protocol.ts";
import { type TopicClient, TopicSession } from "./topics.ts";

/** Two names of one protocol; newer servers know only the first. */
export const FOXGLOVE_PROTOCOLS: readonly string[] = ["foxglove.sdk.v1", FoxgloveClient.SUPPORTED_SUBPROTOCOL];

/**
 * The most characters of a text: a server's greeting and its topics. A longer text would take many times its length once it is parsed into
 * objects.
 */
const MAX_TEXT = 1 << 23;

/**
 * The client's side of the Foxglove WebSocket protocol. It finds depth, intrinsics and colour, and subscribes to them while somebody
 * watches.
 */
export const foxglove: Start = (socket, host) => {
  const client = new FoxgloveClient({ ws: guarded(socket, (error) => host.intake.malformed(error)) });
  client.on("error", (error) => host.intake.malformed(error));
  const topics: TopicClient = {
    subscribe: (channel) => client.subscribe(channel),
    unsubscribe: (id) => client.unsubscribe(id),
    tell({ advertise, unadvertise, message, close }) {
      client.on("advertise", advertise);
      client.on("unadvertise", unadvertise);
      client.on("message", message);
      client.on("close", close);
    },
  };
  return new TopicSession(topics, host, "foxglove", "Foxglove WebSocket");
};

/**
 * The socket as the client library sees it. An error that a server's message makes the client throw goes to `bad`, and so does a text that
 * is too long to parse.
 */
function guarded(socket: WebSocket, bad: (error: unknown) => void): IWebSocket {
  const seen: IWebSocket = {
    binaryType: "arraybuffer",
    protocol: socket.protocol,
    onerror: null,
    onopen: null,
    onclose: null,
    onmessage: null,
    close: () => socket.close(),
    // A socket that is closing accepts nothing more.
    send: (data) => socket.readyState === 1 && socket.send(data as string | ArrayBuffer),
  };
  socket.onmessage = (event) => {
    try {
      if (typeof event.data === "string" && event.data.length > MAX_TEXT)
        throw new SourceError(`the server sent a text of ${event.data.length} characters; up to ${MAX_TEXT} are read`);
      seen.onmessage?.(event);
    } catch (error) {
      bad(error);
    }
  };
  socket.onclose = (event) => seen.onclose?.(event);
  return seen;
}
