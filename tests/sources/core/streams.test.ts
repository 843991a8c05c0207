import { firstValueFrom, type Observable, take, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { type DepthFrame, framesOf, SourceError } from "../../../sources/index.ts";
import { turns } from "../../turns.ts";
import { fake } from "../fakes.ts";

const indices = async (frames: Observable<DepthFrame>) =>
  (await firstValueFrom(frames.pipe(toArray()))).map(({ index }) => index);

describe("framesOf", () => {
  test.each([
    [{}, [0, 1, 2, 3]],
    [{ start: 2 }, [2, 3]],
    [{ count: 2 }, [0, 1]],
    [{ count: 9 }, [0, 1, 2, 3]],
    [{ count: 0 }, []],
    [{ start: 1, count: 2, loop: 3 }, [1, 2, 1, 2, 1, 2]],
    [{ loop: 0 }, []],
  ])("%j gives frames %j, each read once", async (options, expected) => {
    const recording = fake(4);
    expect(await indices(framesOf(recording, options))).toEqual(expected);
    expect(recording.reads).toEqual(expected);
  });

  test("marks only the first frame of each round as a jump", async () => {
    const frames = await firstValueFrom(framesOf(fake(5), { start: 1, count: 3, loop: 3 }).pipe(toArray()));
    expect(frames.map(({ index, jump }) => [index, jump])).toEqual(
      [1, 2, 3, 1, 2, 3, 1, 2, 3].map((index) => [index, index === 1 ? true : undefined]),
    );
  });

  test("with loop: Infinity loops until its subscriber leaves", async () => {
    const recording = fake(2);
    expect(await indices(framesOf(recording, { loop: Infinity }).pipe(take(5)))).toEqual([0, 1, 0, 1, 0]);
    const read = recording.reads.length;
    await turns();
    expect(recording.reads.length).toBe(read);
    expect(read).toBeLessThanOrEqual(6);
  });

  test("waits for every promise that the consumer gives to waitUntil, and reads one frame ahead meanwhile", async () => {
    const recording = fake(5);
    const seen: number[] = [];
    const releases: (() => void)[] = [];
    framesOf(recording).subscribe((frame) => {
      seen.push(frame.index);
      for (let i = 0; i < 2; i++) frame.waitUntil?.(new Promise<void>((resolve) => releases.push(resolve)));
    });
    for (let i = 0; i < 5; i++) {
      await turns();
      expect(seen.length).toBe(i + 1);
      expect(recording.reads.length).toBe(Math.min(i + 2, 5));
      releases[2 * i]();
      await turns();
      expect(seen.length).toBe(i + 1);
      releases[2 * i + 1]();
    }
  });

  test("goes on when a promise given to waitUntil rejects", async () => {
    const seen: number[] = [];
    await new Promise<void>((complete) => {
      framesOf(fake(3)).subscribe({
        next(frame) {
          seen.push(frame.index);
          frame.waitUntil?.(Promise.reject(new Error("mine")));
        },
        complete,
      });
    });
    expect(seen).toEqual([0, 1, 2]);
  });

  test("ends with the error of a bad frame, after the good frames before it", async () => {
    const seen: number[] = [];
    const error = await new Promise((resolve) => {
      framesOf(fake(5, 0, [2])).subscribe({ next: ({ index }) => void seen.push(index), error: resolve });
    });
    expect(seen).toEqual([0, 1]);
    expect(error).toEqual(new SourceError("frame 2 is bad"));
  });

  test("gives no error for a bad frame read ahead if the subscriber stopped before it", async () => {
    expect(await indices(framesOf(fake(5, 0, [2])).pipe(take(2)))).toEqual([0, 1]);
    await turns();
  });

  test("refuses to start behind the last frame, or at a value that is no frame number", async () => {
    await expect(indices(framesOf(fake(4), { start: 4 }))).rejects.toThrow(
      "there is no frame 4 to start from: the recording has 4",
    );
    expect(() => framesOf(fake(4), { start: -1 })).toThrow("framesOf: start must be a whole number from 0, not -1");
    expect(() => framesOf(fake(4), { start: 0.5 })).toThrow(SourceError);
  });

  test("gives every frame to each of two subscribers", async () => {
    const frames = framesOf(fake(3));
    expect(await Promise.all([indices(frames), indices(frames)])).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });
});
