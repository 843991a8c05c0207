import type { Bytes } from "../../decode/codec.ts";

/**
 * Gives memory back at once; `bytes`, and whatever else lies in the same buffer, is gone. What is left lying instead is collected when
 * a thread has some sixty megabytes of it. (`ArrayBuffer.transfer` does not free what a browser has read a blob into.)
 */
export function release({ buffer }: Bytes): void {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  // Sent to nobody.
  port1.postMessage(undefined, [buffer]);
  port1.close();
}
