import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useGpu } from "../../tests/gpu.ts";
import { reachFullClock, type Stopwatch } from "../measure/stopwatch.ts";

const opened = useGpu();

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A stopwatch that measures `times` one after the other, then the last one for ever; each measurement takes 100 ms. */
function telling(times: readonly (number | null)[], software = false) {
  let asked = 0;
  const gpu = { device: opened.gpu.device, software, clockResolutionUs: 0 };
  const repeat = async () => {
    vi.advanceTimersByTime(100);
    return times[Math.min(asked++, times.length - 1)] ?? null;
  };
  return { stopwatch: { gpu, repeat } as unknown as Stopwatch, asked: () => asked };
}

test("reachFullClock keeps the GPU busy until its clock rate is up", async () => {
  const rising = telling([500, 400, 300, 200, 100]);
  await reachFullClock(rising.stopwatch);
  expect(rising.asked(), "a second of work at first").toBe(11);

  const steady = telling([104]);
  await reachFullClock(steady.stopwatch);
  expect(steady.asked(), "the clock rate is still up").toBe(1);

  const fallen = telling([600, null, 300, 106, 105]);
  await reachFullClock(fallen.stopwatch);
  expect(fallen.asked(), "until the kernel takes what it took at best").toBe(5);

  const throttled = telling([200]);
  await reachFullClock(throttled.stopwatch);
  expect(throttled.asked(), "a device that stays slow is not waited for").toBe(16);

  const software = telling([100], true);
  await reachFullClock(software.stopwatch);
  expect(software.asked(), "a software GPU has no clock of its own").toBe(0);
});
