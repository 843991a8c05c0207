import { expect, test } from "vitest";
import { Queue } from "../../../core/queue.ts";

// While one item is in work, a queue keeps up to `most` of those that come; one more takes the place of all that wait.

/** A queue and a log of its items; `finish` ends the work on the present item. */
function working(most?: number) {
  const log: string[] = [];
  let finish = () => {};
  const queue = new Queue<string>(
    (item) => {
      log.push(item);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    (item) => log.push(`${item} given up`),
    most,
  );
  return { log, queue, finish: () => finish() };
}

/** A turn of the event loop, in which promises that have settled are heard. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a queue of one works on the first item at once, and after that only on the newest item", async () => {
  const { log, queue, finish } = working();
  for (const item of ["a", "b", "c", "d"]) queue.offer(item);
  expect(log).toEqual(["a", "b given up", "c given up"]);
  expect(queue.waiting).toEqual(["d"]);
  finish();
  await turn();
  expect(log.slice(3)).toEqual(["d"]);
  finish();
  await turn();
  queue.offer("e");
  expect(log.slice(4)).toEqual(["e"]);
});

test("a queue of two keeps the order, and a third that waits gives both up", async () => {
  const { log, queue, finish } = working(2);
  for (const item of ["a", "b", "c"]) queue.offer(item);
  finish();
  await turn();
  expect(log).toEqual(["a", "b"]);
  for (const item of ["d", "e"]) queue.offer(item);
  expect([log.slice(2), queue.waiting]).toEqual([["c given up", "d given up"], ["e"]]);
});

test("a queue does not work on items that were cleared or taken, and says when it is idle", async () => {
  const { log, queue, finish } = working(2);
  queue.whenIdle(() => log.push("idle at once"));
  for (const item of ["a", "b", "c"]) queue.offer(item);
  queue.whenIdle(() => log.push("idle"));
  expect([queue.take(), queue.clear()]).toEqual(["b", ["c"]]);
  expect(queue.waiting).toEqual([]);
  finish();
  await turn();
  expect(log).toEqual(["idle at once", "a", "idle"]);
});
