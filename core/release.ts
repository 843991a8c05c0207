/** Giving back a smaller buffer is not worth the cost. */
const LARGE = 2 ** 16;

/**
 * Frees the buffer's memory at once; all arrays on it become empty. Otherwise a thread collects only when it has some sixty megabytes of
 * such memory. (`ArrayBuffer.transfer` does not free a buffer that a browser has read a blob into.)
 */
export function release({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LARGE) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  // Posting a message moves the buffer to the other port; nobody receives it, so it is freed.
  port1.postMessage(undefined, [buffer]);
  port1.close();
}
