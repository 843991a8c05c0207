import { shownAddress } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";

/**
 * The most bytes of a message; a larger one ends the connection. Depth and colour of 16 megapixels take 80 MiB, with depth in metres 112.
 */
const MAX_MESSAGE = 1 << 27;
/** A host that takes packets and gives none is given up after this time: a browser would wait for minutes. */
const HANDSHAKE_MS = 10_000;
/** A server that does not answer a close within this time is cut off: until then its socket keeps a Node process alive. */
const CLOSE_MS = 1000;

/** Makes the platform's WebSocket. Node 20 has no WebSocket, so there the package `ws` provides one. */
async function create(address: string, protocols: readonly string[]): Promise<WebSocket> {
  if (!import.meta.env.SSR) return new WebSocket(address, [...protocols]);
  const { WebSocket: NodeSocket } = await import("ws");
  const options = {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    closeTimeout: CLOSE_MS,
    // A mask of zeros: masks protect proxies from what a page sends (RFC 6455, section 10.3), and cost 3 ms for an image.
    generateMask: () => {},
  };
  return new NodeSocket(address, [...protocols], options) as unknown as WebSocket;
}

/** Throws a `SourceError` for anything but a WebSocket's address. */
export function checkAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if ((url?.protocol === "ws:" || url?.protocol === "wss:") && url.hash === "") return;
  throw new SourceError(
    `${shownAddress(address)}: this is no address of a live stream; such an address looks like ws://192.168.1.20:8765`,
  );
}

/**
 * Connects. `start` is called when the connection is made, before any of its messages. Rejects with a `SourceError` where no server
 * answers, or the server speaks none of `protocols`.
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
    const silent = setTimeout(() => {
      fail(
        `no server answers there within ${HANDSHAKE_MS / 1000} s: is the sending program running, and is the port right?`,
      );
      socket.close();
    }, HANDSHAKE_MS);
    const settle = () => {
      clearTimeout(silent);
      signal.removeEventListener("abort", abort);
    };
    const fail = (reason: string) => {
      settle();
      reject(new SourceError(`${shownAddress(address)}: ${reason}`));
    };
    signal.addEventListener("abort", abort, { once: true });
    socket.onopen = () => {
      settle();
      start(socket);
      resolve();
    };
    socket.onerror = (event) => fail(reasonOf(event));
    socket.onclose = () => fail("the connection was closed before it was made");
  });
}

/** Why a connection failed, as far as known: a page gets no reason. */
function reasonOf(event: Event): string {
  const message = "message" in event && typeof event.message === "string" ? event.message : "";
  if (/subprotocol/i.test(message))
    return `it speaks another protocol (${message}): see docs/live.md for the supported ones`;
  const [, status = ""] = /server response: (\d+)/.exec(message) ?? [];
  if (status === "401" || status === "403")
    return `it refuses the connection (${message}): it may require its token (ws://…/?token=…, as serve printed it) or another origin`;
  if (status === "503") return `it has no room for another client (${message}): try again when one has left`;
  return `no server answers there${message && ` (${message})`}: is the sending program running, and is the port right?`;
}
