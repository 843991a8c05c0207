import { afterEach, expect, test, vi } from "vitest";
import { waitPolled } from "../shaders/waitPolled.ts";

function deferred() {
  let [resolve, reject] = [(_: string) => {}, (_: Error) => {}];
  const promise = new Promise<string>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

afterEach(() => void vi.useRealTimers());

test("a device's promises are waited for with submits of nothing: soon, then rarely, and none when all waits are over", async () => {
  vi.useFakeTimers();
  const submits: number[] = [];
  const begin = performance.now();
  const device = { queue: { submit: () => void submits.push(performance.now() - begin) } } as unknown as GPUDevice;
  const [first, second] = [deferred(), deferred()];
  const waits = [waitPolled(device, first.promise)];
  await vi.advanceTimersByTimeAsync(170);
  expect(submits).toEqual([1, 2, 3, 4, 6, 10, 18, 34, 66, 116, 166]);
  // A further wait makes the nudges frequent again, and does not double them.
  waits.push(waitPolled(device, second.promise));
  await vi.advanceTimersByTimeAsync(2);
  expect(submits.slice(11)).toEqual([171, 172]);
  first.reject(new Error("lost"));
  await expect(waits[0]).rejects.toThrow("lost");
  second.resolve("done");
  expect(await waits[1]).toBe("done");
  await vi.advanceTimersByTimeAsync(500);
  expect(submits.length).toBe(13);
});
