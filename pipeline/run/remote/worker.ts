import type { Order } from "./messages.ts";
import { StageServer } from "./server.ts";

/** The thread of a page that runs its stages' twins: what they compute stays off the page's own. */
const server = new StageServer((answer, transfer) => self.postMessage(answer, { transfer }));

/** Held for ever: whoever gets the lock next knows that this thread is gone. See open.ts. */
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
