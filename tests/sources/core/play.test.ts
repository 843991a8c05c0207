import fc from "fast-check";
import type { Observable } from "rxjs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, playOf, SourceError } from "../../../sources/index.ts";
import { fake } from "../fakes.ts";

// playOf in virtual time: frames at their own pace, skipped frames, and frames that cannot be read.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The frames that are emitted in `duration` ms of playing, and the times of emission. */
async function watch(frames: Observable<DepthFrame>, duration: number) {
  const start = performance.now();
  const given: DepthFrame[] = [];
  const times: number[] = [];
  let end: unknown;
  const subscription = frames.subscribe({
    next: (frame) => {
      expect(frame.waitUntil).toBeUndefined();
      given.push(frame);
      times.push(performance.now() - start);
    },
    error: (error) => (end = error),
    complete: () => (end = "complete"),
  });
  await vi.advanceTimersByTimeAsync(duration);
  subscription.unsubscribe();
  // Times are rounded to 10 ms, since timers fire at whole milliseconds and clocks do not.
  const shown = given.map(({ index }, i) => [Math.round((times[i] ?? 0) / 10) * 10, index] as const);
  return { given, times, shown, end, told: shown.map(([ms, index]) => `${index} at ${ms}`).join(", ") };
}

describe("the pace of playOf", () => {
  test("keeps the frames' own times, and shows the last frame as long as the others", async () => {
    const { told } = await watch(playOf(fake(3)), 550);
    expect(told).toBe("0 at 0, 1 at 100, 2 at 200, 0 at 300, 1 at 400, 2 at 500");
  });

  test("keeps uneven times", async () => {
    const recording = { ...fake(3), timestampOf: (index: number) => [5000, 5010, 5300][index] };
    expect((await watch(playOf(recording, { loop: false }), 450)).told).toBe("0 at 0, 1 at 10, 2 at 300");
  });

  test.each([0.1, 0.25, 4, 8])("is right at %s times the recorded speed", async (rate) => {
    const { shown } = await watch(playOf(fake(4), { rate, loop: false }), 500 / rate);
    const last = shown.at(-1) ?? [0, 0];
    expect(Math.abs(last[0] - 300 / rate)).toBeLessThanOrEqual(10);
    expect([shown[0]?.[1], last[1]]).toEqual([0, 3]);
  });

  test("is kept in a loop between `from` and `to` that begins at `start`", async () => {
    const { told, given } = await watch(playOf(fake(9), { from: 2, to: 4, start: 3 }), 650);
    expect(told).toBe("3 at 0, 4 at 100, 2 at 200, 3 at 300, 4 at 400, 2 at 500, 3 at 600");
    expect(given.map(({ jump }) => jump ?? false)).toEqual([true, false, true, false, false, true, false]);
    expect((await watch(playOf(fake(9), { from: 2, to: 4, loop: false }), 650)).shown).toHaveLength(3);
    expect((await watch(playOf(fake(9), { from: 5, start: 3 }), 10)).end).toMatchObject({ name: "SourceError" });
    expect((await watch(playOf(fake(9), { to: 4, start: 5 }), 10)).end).toMatchObject({ name: "SourceError" });
  });

  test("is not held up by a subscriber, since the next frame is being read while one is handed out", async () => {
    const recording = fake(6, 70);
    const ahead: (number | undefined)[] = [];
    const subscription = playOf(recording, { loop: false }).subscribe(() => ahead.push(recording.reads.at(-1)));
    await vi.advanceTimersByTimeAsync(1000);
    subscription.unsubscribe();
    expect(ahead).toEqual([1, 2, 3, 4, 5, 5]);
  });

  test("keeps the pace of a recording that reads slower than that, but several frames side by side, in order and bounded", async () => {
    const recording = fake(40, 250);
    let [now, most] = [0, 0];
    const read = async (index: number) => {
      most = Math.max(most, ++now);
      // The later frame is ready first.
      if (index % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 30));
      return recording.read(index).finally(() => now--);
    };
    const { shown } = await watch(playOf({ ...recording, ahead: 4, read }, { loop: false }), 3000);
    const [ms8, index8] = shown[8];
    const late = shown.slice(9).filter(([ms, index]) => Math.abs(ms - ms8 - 100 * (index - index8)) > 10);
    expect(late).toEqual([]);
    expect(shown.map(([, index]) => index)).toEqual(Array.from({ length: shown.length }, (_, i) => i));
    expect(shown.length).toBeGreaterThan(25);
    expect(most).toBe(4);
  });

  test("loses no time where a loop begins again: the first frame is read while the last one is shown", async () => {
    const { times } = await watch(playOf(fake(3, 80)), 1000);
    expect(times.slice(1).map((ms, i) => Math.round((ms - times[i]) / 10))).toEqual(times.slice(1).map(() => 10));
    expect(times.length).toBe(10);
  });

  test("stops with its last subscriber: no frame is read any more", async () => {
    const recording = fake(100);
    await watch(playOf(recording), 250);
    const read = recording.reads.length;
    await vi.advanceTimersByTimeAsync(1000);
    expect(recording.reads.length).toBe(read);
    // Three frames were shown, one waited for its time, and one was being read.
    expect(read).toBeLessThanOrEqual(5);
  });
});

/** The frames of each round of the loop. */
function roundsOf(given: readonly DepthFrame[]): DepthFrame[][] {
  const rounds: DepthFrame[][] = [];
  for (const frame of given) {
    if (frame.jump) rounds.push([]);
    rounds.at(-1)?.push(frame);
  }
  return rounds;
}

const cases = fc.record({
  steps: fc.array(fc.constantFrom(0, 5, 33, 100, 700, 600_000, -50), { minLength: 1, maxLength: 12 }),
  readMs: fc.array(fc.constantFrom(0, 0, 1, 20, 90, 400), { minLength: 13, maxLength: 13 }),
  bad: fc.uniqueArray(fc.nat(12), { maxLength: 5 }),
  start: fc.nat(12),
  rate: fc.constantFrom(0.5, 1, 3),
});

test("playOf emits or skips each frame once a round, emits the first and last, and emits faults too", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ steps, readMs, bad, start, rate }) => {
      const times = [1000, ...steps.map((_, i) => 1000 + steps.slice(0, i + 1).reduce<number>((a, b) => a + b, 0))];
      const length = times.length;
      const fails = bad.filter((index) => index !== 0 && index < length);
      const from = fails.includes(start % length) ? 0 : start % length;
      const recording = {
        ...fake(length, (index) => readMs[index] ?? 0, fails),
        timestampOf: (index: number) => times[index] ?? 0,
      };
      const { given, times: when, end } = await watch(playOf(recording, { start: from, rate }), 20_000);
      expect(end).toBeUndefined();
      const rounds = roundsOf(given);
      expect(rounds.length).toBeGreaterThan(0);
      for (const [r, round] of rounds.entries()) {
        const indices = round.map(({ index }) => index);
        const finished = r < rounds.length - 1;
        expect(indices[0]).toBe(r === 0 ? from : 0);
        if (finished) expect(indices.at(-1)).toBe(length - 1);
        const skipped = indices.slice(1).reduce((sum, index, i) => sum + index - (indices[i] ?? 0) - 1, 0);
        expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
        const faults = round.filter(({ fault }) => fault).map(({ index }) => index);
        expect(faults).toEqual(indices.filter((index) => fails.includes(index)));
        if (finished) {
          const all = length - (indices[0] ?? 0);
          expect(round.filter(({ fault }) => !fault)).toHaveLength(all - skipped - faults.length);
        }
      }
      // Every frame that was read was emitted, except one that waited for its time at the end and one being read.
      expect(recording.reads.slice(0, given.length)).toEqual(given.map(({ index }) => index));
      expect(recording.reads.length - given.length).toBeLessThanOrEqual(2);
      // No wait is longer than the cap of 2 s plus a reading of 400 ms.
      const waits = when.slice(1).map((time, i) => time - (when[i] ?? 0));
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(2000 + 400 + 2);
    }),
    { numRuns: 150 },
  );
});

describe("a frame that playOf cannot read", () => {
  test("is emitted with its fault, empty and as large as the frame before, and playing goes on", async () => {
    const { given, shown } = await watch(playOf(fake(5, 0, [2])), 450);
    expect(shown.map(([time, index]) => [time, index])).toEqual([0, 1, 2, 3, 4].map((index) => [index * 100, index]));
    const { depth, firstFrames: _, ...rest } = given[2] ?? {};
    expect(rest).toEqual({
      index: 2,
      timestamp: 200,
      fault: new SourceError("frame 2 is bad"),
      metresPerUnit: 1,
      intrinsics: given[1]?.intrinsics,
    });
    expect([depth?.shape, depth?.data]).toEqual([[1, 1], new Uint16Array(1)]);
    expect([given[1]?.depth.data[0], given[3]?.depth.data[0]]).toEqual([2, 4]);
    expect(given.map(({ fault }) => fault !== undefined)).toEqual([false, false, true, false, false]);
  });

  test("does not end playing as long as one frame of each round can be read", async () => {
    const { given, end } = await watch(playOf(fake(3, 0, [0, 2])), 1050);
    expect(end).toBeUndefined();
    expect(given).toHaveLength(11);
  });

  test.each([
    [[0, 1, 2], 0, [0, 1, 2]],
    [[1, 2], 1, [1, 2]],
  ])("ends playing with the first error if no frame of a round can be read (%j from %d)", async (bad, start, shown) => {
    const { given, end } = await watch(playOf(fake(3, 0, bad), { start }), 1000);
    expect(given.map(({ index, fault }) => [index, fault !== undefined])).toEqual(shown.map((index) => [index, true]));
    expect(end).toEqual(new SourceError(`frame ${start} is bad`));
  });
});
