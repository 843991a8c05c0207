import { lastValueFrom, map, Subject, toArray } from "rxjs";
import { concatMap } from "rxjs/operators";
import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../../../core/frame.ts";
import { mapFrames } from "../../../core/mapFrames.ts";
import { framesOf } from "../../../core/streams.ts";
import { createPipeline } from "../../../pipeline/index.ts";
import { median } from "../../../stages/index.ts";
import { flatFrame } from "../../pipeline/fakes.ts";
import { turns } from "../../turns.ts";

// Operators between a source and a pipeline must hold the source until the work on a frame is done.

const cpuPipeline = () => createPipeline({ stages: [median()], backend: "cpu" });

/** A recording of flat frames that counts its reads. */
function recordingOf(length: number) {
  const recording = {
    length,
    reads: 0,
    async read(index: number) {
      recording.reads++;
      return flatFrame(index);
    },
  };
  return recording;
}

/** Promises that a test resolves one by one, in the order of the calls of wait(). */
function gates() {
  const open: (() => void)[] = [];
  return { open, wait: () => new Promise<void>((resolve) => open.push(resolve)) };
}

describe("mapFrames", () => {
  test("holds the source until its own work is done, and reads one frame ahead meanwhile", async () => {
    const recording = recordingOf(5);
    const { open, wait } = gates();
    const seen: number[] = [];
    framesOf(recording)
      .pipe(mapFrames((frame) => wait().then(() => ({ ...frame, timestamp: 7 }))))
      .subscribe(({ index, timestamp }) => void seen.push(index, timestamp));
    for (let i = 0; i < 5; i++) {
      await turns();
      expect([open.length, recording.reads]).toEqual([i + 1, Math.min(i + 2, 5)]);
      open[i]();
    }
    await turns();
    expect(seen).toEqual([0, 7, 1, 7, 2, 7, 3, 7, 4, 7]);
  });

  test("before a lossless pipeline loses no frame, keeps the order, and lets two frames be read ahead at most", async () => {
    await using pipeline = await cpuPipeline();
    const recording = recordingOf(20);
    const ahead: number[] = [];
    const frames = await lastValueFrom(
      framesOf(recording).pipe(
        mapFrames(async (frame) => {
          await turns();
          ahead.push(recording.reads - frame.index - 1);
          return frame;
        }),
        pipeline.process("lossless"),
        map(({ index }) => index),
        toArray(),
      ),
    );
    expect(frames).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
  });

  test("skips to the newest frame of a live source, and queues nothing", async () => {
    const live = new Subject<DepthFrame>();
    const { open, wait } = gates();
    const seen: number[] = [];
    live
      .pipe(mapFrames((frame) => wait().then(() => frame)))
      .subscribe({ next: ({ index }) => void seen.push(index), complete: () => void seen.push(-1) });
    for (let i = 0; i < 10; i++) live.next(flatFrame(i));
    live.complete();
    open[0]();
    await turns();
    open[1]();
    await turns();
    expect(seen).toEqual([0, 9, -1]);
  });

  test("stops reading the source when its last subscriber leaves", async () => {
    const recording = recordingOf(9);
    const { wait } = gates();
    const subscription = framesOf(recording)
      .pipe(mapFrames((frame) => wait().then(() => frame)))
      .subscribe();
    await turns();
    subscription.unsubscribe();
    await turns();
    expect(recording.reads).toBe(2);
  });
});

describe("an operator that does not hold the source", () => {
  test("(concatMap) ends a lossless stream with an error that names mapFrames", async () => {
    await using pipeline = await cpuPipeline();
    const slow$ = framesOf(recordingOf(50)).pipe(concatMap((frame) => turns().then(() => frame)));
    await expect(lastValueFrom(slow$.pipe(pipeline.process("lossless")))).rejects.toThrow(
      /frame 0: waitUntil was called after the source had gone on to the next frame\. .*use mapFrames instead/,
    );
  });

  test("(map to frames without waitUntil) ends a lossless stream with an error that says how to copy frames", async () => {
    await using pipeline = await cpuPipeline();
    const copies$ = framesOf(recordingOf(50)).pipe(map(({ waitUntil: _, ...copy }) => copy));
    await expect(lastValueFrom(copies$.pipe(pipeline.process("lossless")))).rejects.toThrow(
      /8 frames wait, and the source does not wait for them: its frames have no waitUntil: .*\{ \.\.\.frame, depth \}/,
    );
  });
});
