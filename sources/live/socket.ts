import { SourceError } from "../source.ts";

/** Larger messages are none of a depth camera's; one ends the connection. */
const MAX_MESSAGE = 1 << 28;
const HANDSHAKE_MS = 10_000;

/** The platform's WebSocket. Node 20 has none of its own. */
async function create(address: string, protocols: readonly string[]): Promise<WebSocket> {
  if (!import.meta.env.SSR) return new WebSocket(address, [...protocols]);
  const { WebSocket: NodeSocket } = await import("ws");
  const options = { perMessageDeflate: false, maxPayload: MAX_MESSAGE, handshakeTimeout: HANDSHAKE_MS };
  return new NodeSocket(address, [...protocols], options) as unknown as WebSocket;
}

/** Throws a `SourceError` for what is no address of a WebSocket. */
export function checkAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if ((url?.protocol === "ws:" || url?.protocol === "wss:") && url.hash === "") return;
  throw new SourceError(`${address}: this is no address of a live stream; it looks like ws://192.168.1.20:8765`);
}

export const isAddress = (text: string): boolean => /^wss?:\/\//i.test(text);

/**
 * Connects. `start` is called in the moment of the connection, before any message of it. Rejects with a `SourceError` if
 * nobody answers, or the other end speaks none of `protocols`.
 */
export async function connect(
  address: string,
  protocols: readonly string[],
  start: (socket: WebSocket) => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const socket = await create(address, protocols);
  socket.binaryType = "arraybuffer";
  await new Promise<void>((resolve, reject) => {
    const abort = () => socket.close();
    const fail = (reason: string) => {
      signal.removeEventListener("abort", abort);
      reject(new SourceError(`${address}: ${reason}`));
    };
    signal.addEventListener("abort", abort, { once: true });
    socket.onopen = () => {
      signal.removeEventListener("abort", abort);
      start(socket);
      resolve();
    };
    socket.onerror = (event) => fail(reasonOf(event));
    socket.onclose = () => fail("the connection was closed before it was made");
  });
}

/** A page is not told why. */
function reasonOf(event: Event): string {
  const message = "message" in event && typeof event.message === "string" ? event.message : "";
  if (/subprotocol/i.test(message))
    return `it speaks another protocol (${message}): see docs/live.md for what can be read`;
  if (/40[13]/.test(message)) return `it refuses us (${message}): it may want another origin`;
  return `nobody answers there${message && ` (${message})`}: is the program that sends running, and the port right?`;
}
