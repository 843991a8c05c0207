import ndarray from "ndarray";
import { firstValueFrom, type Observable, take, toArray } from "rxjs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, framesOf, playOf, SourceError } from "../../sources/index.ts";

/** A recording in memory that counts what is read of it. */
function fake(length: number, readMs = 0, fails = -1) {
  const reads: number[] = [];
  return {
    reads,
    length,
    fps: 10,
    async read(index: number): Promise<DepthFrame> {
      reads.push(index);
      if (readMs > 0) await new Promise((resolve) => setTimeout(resolve, readMs));
      if (index === fails) throw new SourceError(`frame ${index} is bad`);
      const intrinsics = { fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1 };
      return {
        depth: ndarray(new Uint16Array(1), [1, 1]),
        metresPerUnit: 1,
        intrinsics,
        timestamp: index * 100,
        index,
      };
    },
  };
}

const indices = async (frames: Observable<DepthFrame>) =>
  (await firstValueFrom(frames.pipe(toArray()))).map(({ index }) => index);
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

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

  test("loops for ever, as long as someone listens", async () => {
    const recording = fake(2);
    expect(await indices(framesOf(recording, { loop: Infinity }).pipe(take(5)))).toEqual([0, 1, 0, 1, 0]);
    const read = recording.reads.length;
    await settle();
    expect(recording.reads.length).toBe(read);
    expect(read).toBeLessThanOrEqual(6);
  });

  test("waits for what the consumer registers, all of it, and reads one frame ahead meanwhile", async () => {
    const recording = fake(5);
    const seen: number[] = [];
    const releases: (() => void)[] = [];
    framesOf(recording).subscribe((frame) => {
      seen.push(frame.index);
      for (let i = 0; i < 2; i++) frame.waitUntil?.(new Promise<void>((resolve) => releases.push(resolve)));
    });
    for (let i = 0; i < 5; i++) {
      await settle();
      expect(seen.length).toBe(i + 1);
      expect(recording.reads.length).toBe(Math.min(i + 2, 5));
      releases[2 * i]();
      await settle();
      expect(seen.length).toBe(i + 1);
      releases[2 * i + 1]();
    }
  });

  test("goes on when the consumer's work failed: that is the consumer's to report", async () => {
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

  test("stops at a bad frame, after the good ones before it", async () => {
    const seen: number[] = [];
    const error = await new Promise((resolve) => {
      framesOf(fake(5, 0, 2)).subscribe({ next: ({ index }) => void seen.push(index), error: resolve });
    });
    expect(seen).toEqual([0, 1]);
    expect(error).toEqual(new SourceError("frame 2 is bad"));
  });

  test("a bad frame read ahead is no error to someone who stopped before it", async () => {
    expect(await indices(framesOf(fake(5, 0, 2)).pipe(take(2)))).toEqual([0, 1]);
    await settle();
  });

  test.each([4, -1, 0.5])("cannot start at %d of 4", async (start) => {
    await expect(indices(framesOf(fake(4), { start }))).rejects.toThrow(
      `there is no frame ${start} to start from; the recording has 4`,
    );
  });

  test("two listeners each get every frame", async () => {
    const frames = framesOf(fake(3));
    expect(await Promise.all([indices(frames), indices(frames)])).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });
});

describe("playOf", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** What is shown, and when, in `duration` ms of playing. */
  async function watch(frames: Observable<DepthFrame>, duration: number) {
    const start = performance.now();
    const shown: [time: number, index: number][] = [];
    let end: unknown;
    const subscription = frames.subscribe({
      next: ({ index, waitUntil }) => {
        expect(waitUntil).toBeUndefined();
        // To 10 ms: timers count whole ones, clocks do not.
        shown.push([Math.round((performance.now() - start) / 10) * 10, index]);
      },
      error: (error) => {
        end = error;
      },
      complete: () => {
        end = "complete";
      },
    });
    await vi.advanceTimersByTimeAsync(duration);
    subscription.unsubscribe();
    return { shown, end };
  }

  test("keeps the frames' own times, and each last frame stays as long as any", async () => {
    const { shown } = await watch(playOf(fake(3)), 550);
    expect(shown).toEqual([
      [0, 0],
      [100, 1],
      [200, 2],
      [300, 0],
      [400, 1],
      [500, 2],
    ]);
  });

  test("uneven times too", async () => {
    const recording = { ...fake(3), timestampOf: (index: number) => [5000, 5010, 5300][index] };
    expect((await watch(playOf(recording, { loop: false }), 450)).shown).toEqual([
      [0, 0],
      [10, 1],
      [300, 2],
    ]);
  });

  test("twice as fast, from the middle, once", async () => {
    const { shown, end } = await watch(playOf(fake(4), { rate: 2, start: 2, loop: false }), 1000);
    expect(shown).toEqual([
      [0, 2],
      [50, 3],
    ]);
    expect(end).toBe("complete");
  });

  test("with a reader slower than time it reads only what can be shown, and does not fall behind", async () => {
    const recording = fake(100, 250);
    const { shown } = await watch(playOf(recording), 5000);
    const lateness = shown.map(([time, index]) => time - shown[0][0] - index * 100);
    // The frame that was due when its reading began, so less than one step old, and then the reading.
    expect(Math.max(...lateness)).toBeLessThanOrEqual(350);
    expect(recording.reads.length).toBeLessThanOrEqual(21);
    expect(shown.length).toBeGreaterThanOrEqual(19);
    expect(shown.map(([, index]) => index)).toEqual(recording.reads.slice(0, shown.length));
  });

  test("nothing is read after the last listener is gone", async () => {
    const recording = fake(100);
    await watch(playOf(recording), 250);
    const read = recording.reads.length;
    await vi.advanceTimersByTimeAsync(1000);
    expect(recording.reads.length).toBe(read);
    expect(read).toBeLessThanOrEqual(4);
  });

  test("a bad frame is an error", async () => {
    const { shown, end } = await watch(playOf(fake(5, 0, 2)), 1000);
    expect(shown.map(([, index]) => index)).toEqual([0, 1]);
    expect(end).toEqual(new SourceError("frame 2 is bad"));
  });
});
