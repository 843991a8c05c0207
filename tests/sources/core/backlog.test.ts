import { Subject } from "rxjs";
import { expect, test, vi } from "vitest";
import { withBacklog } from "../../../core/backlog.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { fake } from "../fakes.ts";

// withBacklog: a consumer that pauses loses no frame, and a consumer that is always too slow gets new frames.

/** A turn of the event loop, in which promises that have settled are heard. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A source whose frames `come`, and a consumer that keeps each until `finish`. */
function slow(most: number) {
  const came = new Subject<DepthFrame>();
  const taken: number[] = [];
  let finish = () => {};
  came.pipe(withBacklog(most)).subscribe((frame) => {
    taken.push(frame.index);
    frame.waitUntil?.(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
  });
  const recording = fake(1);
  return {
    taken,
    async come(first: number, last: number) {
      for (let index = first; index <= last; index++) came.next({ ...(await recording.read(0)), index });
    },
    async finish(times = 1) {
      for (let i = 0; i < times; i++) {
        finish();
        await turn();
      }
    },
  };
}

test("a consumer that starts loses nothing that may wait, and a second later the newest alone waits until it has caught up", async () => {
  const { taken, come, finish } = slow(3);
  await come(0, 3);
  await finish(3);
  expect(taken).toEqual([0, 1, 2, 3]);
  const late = slow(3);
  await late.come(0, 0);
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1001);
  await late.come(1, 3);
  await late.finish(2);
  vi.restoreAllMocks();
  expect(late.taken).toEqual([0, 3]);
});

test("of what comes after a pause of a consumer as many wait as it has caught up with", async () => {
  const { taken, come, finish } = slow(3);
  await come(0, 4);
  await finish(2);
  expect(taken).toEqual([0, 4]);
  await come(5, 5);
  await finish();
  await come(6, 9);
  await finish(4);
  expect(taken).toEqual([0, 4, 5, 6, 7, 8, 9]);
});

test("one more gives up all that wait but the newest, and a single frame waits until the consumer has caught up", async () => {
  const { taken, come, finish } = slow(3);
  await come(0, 4);
  await come(5, 6);
  await finish(2);
  expect(taken).toEqual([0, 6]);
  for (const index of [7, 8, 9]) {
    await come(index, index);
    await finish();
  }
  await come(10, 13);
  await finish(4);
  expect(taken).toEqual([0, 6, 7, 8, 9, 10, 11, 12, 13]);
});
