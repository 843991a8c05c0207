import { expect, test } from "vitest";
import { LatestOnly } from "../../../core/latestOnly.ts";

// While one item is being worked on, Newest keeps only the newest of the items that come.

/** A `LatestOnly` and a log of its items; `finish` ends the work on the present item. */
function working() {
  const log: string[] = [];
  let finish = () => {};
  const newest = new LatestOnly<string>(
    (item) => {
      log.push(item);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    (item) => log.push(`${item} replaced`),
  );
  return { log, newest, finish: () => finish() };
}

/** A turn of the event loop, in which promises that have settled are heard. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("Newest works on the first item at once, and after that only on the newest item", async () => {
  const { log, newest, finish } = working();
  for (const item of ["a", "b", "c", "d"]) newest.offer(item);
  expect(log).toEqual(["a", "b replaced", "c replaced"]);
  expect(newest.waiting).toBe("d");
  finish();
  await turn();
  expect(log.slice(3)).toEqual(["d"]);
  finish();
  await turn();
  newest.offer("e");
  expect(log.slice(4)).toEqual(["e"]);
});

test("Newest does not work on an item that clear() removed", async () => {
  const { log, newest, finish } = working();
  newest.offer("a");
  newest.offer("b");
  expect(newest.clear()).toBe("b");
  expect(newest.waiting).toBeUndefined();
  finish();
  await turn();
  expect(log).toEqual(["a"]);
});
