import { expect, test } from "vitest";
import type { StatisticsSnapshot } from "../pipeline/index.ts";
import { glassToGlass } from "../viewer/overlay/glassToGlass.ts";

// The time of a live frame from capture to picture, and the shares of camera, wire, reading and pipeline.

const of = (p50Ms: number, samples = 1) => ({ p50Ms, samples }) as StatisticsSnapshot["frame"];
const times = { prepare: of(3), upload: of(1), queueWait: of(2), frame: of(10), present: of(50, 0) };
const source = { read: of(4), decode: of(3) };
const ms = (p50: number) => ({ p50, p95: p50, max: p50 });

test("glassToGlass adds up camera, wire, reading and pipeline, and counts a time without samples as 0", () => {
  const live = { latencyMs: ms(25), cameraMs: ms(20), wireMs: ms(5) };
  expect(glassToGlass(live, times, source)).toEqual({
    cameraMs: 20,
    wireMs: 5,
    readMs: 7,
    pipelineMs: 16,
    totalMs: 48,
  });
});

test("glassToGlass gives the wire all the time until arrival if the sender does not say when it sent", () => {
  const live = { latencyMs: ms(25), cameraMs: null, wireMs: null };
  expect(glassToGlass(live, times, source)).toEqual({
    cameraMs: null,
    wireMs: 25,
    readMs: 7,
    pipelineMs: 16,
    totalMs: 48,
  });
});

test("glassToGlass gives nothing without a live source or without its time stamps", () => {
  expect(glassToGlass({ latencyMs: null, cameraMs: null, wireMs: null }, times, source)).toBeUndefined();
  expect(glassToGlass(undefined, times, source)).toBeUndefined();
});
