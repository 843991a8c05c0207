import { from, lastValueFrom, Subject, share, take, tap, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { createPipeline, DepthloomError, GpuError, OverrunError, StaleFrameError } from "../../pipeline/index.ts";
import { turns } from "../turns.ts";
import { adder, flatFrame, patientSource } from "./fakes.ts";

const cpuPipeline = () => createPipeline({ stages: [adder("one")(), adder("two")()], backend: "cpu" });

describe("the policy lossless", () => {
  test("delivers every frame, in order, filtered", async () => {
    await using pipeline = await cpuPipeline();
    const seen: number[][] = [];
    const read$ = patientSource(20).frames$.pipe(
      pipeline.process("lossless"),
      tap((frame) =>
        frame.waitUntil(frame.readDepth().then((d) => seen.push([frame.index, d.get(0, 0), d.get(2, 4)]))),
      ),
    );
    await lastValueFrom(read$);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => [i, 0, 1002 + i]));
    expect(pipeline.statistics.dropped).toBe(0);
  });

  test("holds the source back while the consumer works", async () => {
    await using pipeline = await cpuPipeline();
    const { frames$, state } = patientSource(100);
    const releases: (() => void)[] = [];
    const subscription = frames$.pipe(pipeline.process("lossless")).subscribe((frame) => {
      frame.waitUntil(new Promise<void>((resolve) => releases.push(resolve)));
    });
    await turns();
    expect(state.read).toBe(2);
    releases[0]?.();
    await turns();
    expect(state.read).toBe(3);
    subscription.unsubscribe();
    expect(state.stopped).toBe(true);
  });

  test("lets a source that somebody else shares go on, when it is left while a frame runs", async () => {
    const [left, stays] = [await cpuPipeline(), await cpuPipeline()];
    const shared$ = patientSource(5).frames$.pipe(share());
    const subscription = shared$.pipe(left.process("lossless")).subscribe();
    const all = lastValueFrom(shared$.pipe(stays.process("lossless"), toArray()));
    subscription.unsubscribe();
    expect((await all).map(({ index }) => index)).toEqual([1, 2, 3, 4]);
    await left.destroy();
    await stays.destroy();
  });

  test("ends with the error of the consumer's work, after which no further frame comes", async () => {
    await using pipeline = await cpuPipeline();
    const { frames$, state } = patientSource(100);
    const seen: number[] = [];
    const ended = lastValueFrom(
      frames$.pipe(
        pipeline.process("lossless"),
        tap(({ index, waitUntil }) => {
          seen.push(index);
          waitUntil(index === 1 ? turns().then(() => Promise.reject(new Error("mine"))) : Promise.resolve());
        }),
      ),
    );
    await expect(ended).rejects.toThrow("mine");
    expect(seen.length).toBeLessThan(5);
    expect(state.stopped).toBe(true);
  });
});

test("the policy latest runs the newest frame and counts the others as dropped", async () => {
  await using pipeline = await cpuPipeline();
  const source = from(Array.from({ length: 10 }, (_, i) => flatFrame(i)));
  const frames = await lastValueFrom(source.pipe(pipeline.process("latest"), toArray()));
  const indices = frames.map((frame) => frame.index);
  expect(indices[0]).toBe(0);
  expect(indices.at(-1)).toBe(9);
  expect(indices.length + pipeline.statistics.dropped).toBe(10);
  expect(pipeline.statistics.dropped).toBeGreaterThan(0);
  expect(frames.at(-1)?.dropped).toBe(pipeline.statistics.dropped);
});

test("a pipeline takes one stream at a time, and another one afterwards", async () => {
  await using pipeline = await cpuPipeline();
  const endless = new Subject<ReturnType<typeof flatFrame>>();
  const subscription = endless.pipe(pipeline.process("latest")).subscribe();
  await expect(lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("lossless")))).rejects.toThrow("already");
  subscription.unsubscribe();
  await expect(
    lastValueFrom(patientSource(3).frames$.pipe(pipeline.process("lossless"), take(1))),
  ).resolves.toMatchObject({ index: 0 });
});

test("a frame whose sizes differ is refused with its number and both sizes, which are never the same in one sentence", async () => {
  await using pipeline = await cpuPipeline();
  const [short, deep] = [flatFrame(8), flatFrame(9)];
  Object.assign(short.depth, { data: short.depth.data.subarray(1) });
  Object.assign(deep.depth, { shape: [3, 5, 1], stride: [5, 1, 1] });
  for (const [frame, says] of [
    [{ ...flatFrame(7), intrinsics: flatFrame(7, 1, 6, 3).intrinsics }, "7: depth is 5×3, its intrinsics say 6×3"],
    [short, "frame 8: depth has 14 values, and 5×3 pixels are 15"],
    [deep, "frame 9: depth must have 2 dimensions, height and width, not 3"],
  ] as const)
    await expect(lastValueFrom(from([frame]).pipe(pipeline.process("latest")))).rejects.toThrow(says);
});

describe("for await (const frame of pipeline.frames(source))", () => {
  const recording = (frames: number) => {
    const { frames$, state } = patientSource(frames);
    const read = async () => flatFrame(0, 0);
    return {
      source: {
        ...{ name: "", format: "", fps: 30, frames$, length: frames, read },
        close: async () => {},
        warnings: [],
      },
      state,
    };
  };

  test("waits with the source while the loop's body works, so that a frame is read at any moment", async () => {
    await using pipeline = await cpuPipeline();
    const { source, state } = recording(20);
    const seen: number[] = [];
    for await (const frame of pipeline.frames(source)) {
      await turns();
      expect(state.read).toBeLessThanOrEqual(frame.index + 2);
      seen.push((await frame.readDepth()).get(2, 4));
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => 1002 + i));
  });

  test("gives the newest frame of what is live, and drops the others", async () => {
    await using pipeline = await cpuPipeline();
    const live = new Subject<ReturnType<typeof flatFrame>>();
    const seen: number[] = [];
    const loop = (async () => {
      for await (const frame of pipeline.frames(live)) {
        seen.push(frame.index);
        for (const index of [1, 2, 3]) if (frame.index === 0) live.next(flatFrame(index, 1000));
        await turns();
        await frame.readDepth();
        if (frame.index === 3) live.complete();
      }
    })();
    live.next(flatFrame(0, 1000));
    await loop;
    expect(seen).toEqual([0, 3]);
    expect(pipeline.statistics.dropped).toBe(2);
  });

  test("frees the source where the loop is left, by a break, an error or a signal, and takes another stream then", async () => {
    await using pipeline = await cpuPipeline();
    const stop = new AbortController();
    for (const leave of ["break", "throw", "abort"]) {
      const { source, state } = recording(20);
      const loop = (async () => {
        for await (const _ of pipeline.frames(source, leave === "abort" ? { signal: stop.signal } : {})) {
          if (leave === "break") break;
          if (leave === "throw") throw new Error("mine");
          stop.abort(new Error("stopped"));
        }
      })();
      if (leave === "break") await loop;
      else await expect(loop).rejects.toThrow(leave === "throw" ? "mine" : "stopped");
      expect(state.stopped).toBe(true);
    }
  });
});

test("errors have one base and a code each, and a late read is a StaleFrameError", async () => {
  const pipeline = await cpuPipeline();
  const first = await pipeline.run(flatFrame(0, 1000));
  await pipeline.run(flatFrame(1, 1000));
  const late = await first.readDepth().catch((error: unknown) => error);
  expect(late).toBeInstanceOf(StaleFrameError);
  expect(late).toMatchObject({ code: "DEPTHLOOM_STALE_FRAME" });
  await pipeline.destroy();
  const ended = await pipeline.run(flatFrame(2, 1000)).catch((error: unknown) => error);
  const wrong = await createPipeline({ stages: [], budget: 3 } as never).catch((error: unknown) => error);
  for (const error of [late, ended, wrong, new GpuError("")]) expect(error).toBeInstanceOf(DepthloomError);
  expect(new Error("other")).not.toBeInstanceOf(DepthloomError);
  expect(late).not.toBeInstanceOf(OverrunError);
});
