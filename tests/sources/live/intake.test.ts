import { expect, onTestFinished, test, vi } from "vitest";
import type { DepthFrame } from "../../../sources/index.ts";
import { type Decoded, Intake } from "../../../sources/live/intake.ts";
import { image } from "../../gpu.ts";

// A sender may send impossible values: Intake counts such a frame, gives its fault, and the stream goes on.

const whole: Decoded = {
  depth: image([1000, 0, 1001, 0], 2),
  metresPerUnit: 0.001,
  intrinsics: { fx: 2, fy: 2, cx: 0.5, cy: 0.5, width: 2, height: 2 },
};

test.each([
  ["a unit", { metresPerUnit: 1e300 }, /metresPerUnit/],
  ["a focal length", { intrinsics: { ...whole.intrinsics, fx: 1e-300 } }, /fx/],
  ["intrinsics", { intrinsics: { ...whole.intrinsics, width: 3 } }, /its intrinsics say 3×2/],
])("Intake gives a frame with %s out of range its fault, counts the frame, and goes on", async (_, wrong, why) => {
  const intake = new Intake();
  const seen: DepthFrame[] = [];
  const watching = intake.frames(() => {}).subscribe((frame) => seen.push(frame));
  intake.take({ number: 0, decode: () => ({ ...whole, ...wrong }) });
  await Promise.resolve();
  intake.take({ number: 1, decode: () => whole });
  await Promise.resolve();
  watching.unsubscribe();
  expect(seen.map(({ index, fault }) => [index, fault !== undefined])).toEqual([
    [0, true],
    [1, false],
  ]);
  expect(seen[0]?.fault?.message).toMatch(why);
  expect(intake.report).toMatchObject({ malformed: 1, problem: seen[0]?.fault?.message });
});

test("Intake decodes messages side by side where they say so, and gives their frames in order and the newest next", async () => {
  const intake = new Intake();
  const seen: number[] = [];
  const done = new Map<number, () => void>();
  const decode = (number: number) => () =>
    new Promise<Decoded>((resolve) => {
      done.set(number, () => resolve(whole));
    });
  intake.frames(() => {}).subscribe(({ index }) => seen.push(index));
  for (let number = 0; number < 5; number++) {
    intake.take({ number, atOnce: 3, decode: decode(number) });
    await new Promise((resolve) => setTimeout(resolve));
  }
  expect([...done.keys()]).toEqual([0, 1, 2]);
  done.get(2)?.();
  done.get(1)?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(seen).toEqual([]);
  done.get(0)?.();
  await expect.poll(() => seen).toEqual([0, 1, 2]);
  await expect.poll(() => done.has(4)).toBe(true);
  done.get(4)?.();
  await expect.poll(() => seen).toEqual([0, 1, 2, 4]);
  expect(intake.report).toMatchObject({ received: 5, passed: 1 });
});

test("Intake keeps the jump when a newer frame replaces the frame that jumped", async () => {
  const intake = new Intake();
  const seen: [number, number, boolean][] = [];
  let done = () => {};
  const slow = () =>
    new Promise<Decoded>((resolve) => {
      done = () => resolve(whole);
    });
  intake.frames(() => {}).subscribe(({ index, timestamp, jump }) => seen.push([index, timestamp, jump === true]));
  intake.take({ stampMs: 5000, number: 9, decode: slow });
  // The sender starts over while the first frame is still being decoded; frame 1 then replaces frame 0.
  intake.take({ stampMs: 0, number: 0, decode: () => whole });
  intake.take({ stampMs: 33, number: 1, decode: () => whole });
  done();
  await expect
    .poll(() => seen)
    .toEqual([
      [0, 5000, true],
      [2, 33, true],
    ]);
  intake.take({ stampMs: 66, number: 2, decode: () => whole });
  await expect.poll(() => seen.at(-1)).toEqual([3, 66, false]);
});

/** What becomes of messages with these numbers, one each 33 ms: each frame's number and index, and whether it jumps. */
async function framesOf(numbers: readonly number[], isCounted: boolean) {
  const intake = new Intake();
  const seen: [number, number, boolean][] = [];
  intake.frames(() => {}).subscribe(({ index, timestamp, jump }) => seen.push([timestamp / 33, index, jump === true]));
  for (const number of numbers) {
    intake.take({ stampMs: 33 * number, ...(isCounted && { number }), decode: () => whole });
    await Promise.resolve();
  }
  return { seen, overtaken: intake.report.overtaken };
}

test.each([true, false])(
  "a message that was overtaken is left out, and one that comes twice is no new beginning (counted: %s)",
  async (isCounted) => {
    const { seen, overtaken } = await framesOf([10, 11, 13, 12, 14, 15, 15, 16], isCounted);
    expect(overtaken).toBe(1);
    expect(seen.map(([number]) => number)).toEqual([10, 11, 13, 14, 15, 15, 16]);
    expect(seen.filter(([, , jump]) => jump)).toEqual([[10, 0, true]]);
    expect(seen.map(([, index]) => index)).toEqual(isCounted ? [0, 1, 3, 4, 5, 6, 7] : [0, 1, 2, 4, 5, 6, 7]);
  },
);

test.each([true, false])(
  "a short recording that is played again and again is shown each time (counted: %s)",
  async (isCounted) => {
    const round = Array.from({ length: 27 }, (_, i) => i);
    const { seen } = await framesOf([...round, ...round, ...round], isCounted);
    expect(seen.filter(([, , jump]) => jump).map(([number]) => number)).toEqual(isCounted ? [0, 0, 0] : [0, 5, 5]);
    expect(seen.length).toBe(isCounted ? 81 : 27 + 22 + 22);
  },
);

test("the wire's time begins anew where the sender's clock is set back", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const intake = new Intake();
  const watching = intake.frames(() => {}).subscribe();
  for (let number = 0; number < 360; number++) {
    const sentMs = Date.now() - 3 - (number < 60 ? 0 : 10_000);
    intake.take({ stampMs: sentMs - 12, sentMs, number, decode: () => whole });
    vi.advanceTimersByTime(33);
  }
  watching.unsubscribe();
  expect(intake.report.wireMs?.p50).toBeLessThan(10);
});

test("all who subscribe get the same frames, and the stream is watched until the last one leaves", async () => {
  const watched: boolean[] = [];
  const intake = new Intake();
  const frames$ = intake.frames((on) => watched.push(on));
  const seen: [number[], number[]] = [[], []];
  const take = async (number: number) => {
    intake.take({ number, decode: () => whole });
    await Promise.resolve();
  };
  const first = frames$.subscribe(({ index }) => seen[0].push(index));
  await take(0);
  const second = frames$.subscribe(({ index }) => seen[1].push(index));
  await take(1);
  first.unsubscribe();
  await take(2);
  second.unsubscribe();
  expect([seen, watched]).toEqual([
    [
      [0, 1],
      [1, 2],
    ],
    [true, false],
  ]);
});
