import { firstValueFrom, type Observable, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { OptionError } from "../../../core/check.ts";
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

  test("ends with the error of a bad frame, after the good frames before it", async () => {
    const seen: number[] = [];
    const error = await new Promise((resolve) => {
      framesOf(fake(5, 0, [2])).subscribe({ next: ({ index }) => void seen.push(index), error: resolve });
    });
    expect(seen).toEqual([0, 1]);
    expect(error).toEqual(new SourceError("frame 2 is bad"));
  });

  test("refuses to start behind the last frame, or at a value that is no frame number", async () => {
    await expect(indices(framesOf(fake(4), { start: 4 }))).rejects.toThrow(
      "there is no frame 4 to start from: the recording has 4",
    );
    expect(() => framesOf(fake(4), { start: -1 })).toThrow("framesOf: start must be a whole number from 0, not -1");
    expect(() => framesOf(fake(4), { start: 0.5 })).toThrow(OptionError);
  });
});
