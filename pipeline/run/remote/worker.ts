import type { Order } from "./messages.ts";
import { StageServer } from "./server.ts";

/** The worker's entry: computes the twins off the page's own thread. */
const server = new StageServer((answer, transfer) => self.postMessage(answer, { transfer }));

/** Resolves once this worker holds its lock, which it never releases. The page gets the lock when this worker is gone (see open.ts). */
const held = new Promise<void>((resolve) => {
  const hold = () => {
    resolve();
    return new Promise(() => {});
  };
  if (navigator.locks) void navigator.locks.request(self.name, hold);
  else resolve();
});

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  await held;
  void server.receive(data);
};
