import type { IWebSocket } from "@foxglove/ws-protocol";
import type { WebSocket } from "ws";

/** Smaller messages (a lens, a count) go out whatever waits. */
const SMALL = 4096;
/** A client that does not even take those is gone. */
const MAX_WAITING = 1 << 26;

/**
 * A client's socket with an end to what waits for it: of images none goes out while two of its size do. It learns of that by the
 * frames' count, and `onDrop` is told.
 */
export function bounded(socket: WebSocket, onDrop: () => void): IWebSocket {
  return {
    get binaryType() {
      return socket.binaryType;
    },
    set binaryType(type) {
      socket.binaryType = type === "arraybuffer" ? type : "nodebuffer";
    },
    get protocol() {
      return socket.protocol;
    },
    get onerror() {
      return socket.onerror;
    },
    set onerror(handle) {
      socket.onerror = handle ?? null;
    },
    get onopen() {
      return socket.onopen;
    },
    set onopen(handle) {
      socket.onopen = handle ?? null;
    },
    get onclose() {
      return socket.onclose;
    },
    set onclose(handle) {
      socket.onclose = handle ?? null;
    },
    get onmessage() {
      return socket.onmessage;
    },
    set onmessage(handle) {
      socket.onmessage = handle ?? null;
    },
    close: () => socket.close(),
    // Taking no options has the server hand over a message as a whole, not in fragments, of which one might be left out.
    send(data) {
      const size = typeof data === "string" ? 0 : data.byteLength;
      if (socket.bufferedAmount > MAX_WAITING) socket.terminate();
      else if (size > SMALL && socket.bufferedAmount > 2 * size) onDrop();
      else socket.send(data);
    },
  };
}
