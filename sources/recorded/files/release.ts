/** What is smaller is not worth the way. */
const LARGE = 2 ** 16;

/**
 * Gives memory back at once: whatever lies in that buffer is gone. What is left lying instead is collected when a thread has some
 * sixty megabytes of it. (`ArrayBuffer.transfer` does not free what a browser has read a blob into.)
 */
export function release({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LARGE) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  // Sent to nobody.
  port1.postMessage(undefined, [buffer]);
  port1.close();
}
