import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { of, type Subscription } from "rxjs";
import { afterAll, describe, expect, test } from "vitest";
import { createPipeline, type Pipeline, type PipelineOptions } from "../../pipeline/index.ts";
import { framesOf, syntheticRoom } from "../../sources/index.ts";
import { bilateralGrid, compact, median } from "../../stages/index.ts";
import { LONG } from "../mode.ts";
import { adder, flatFrame, patientSource } from "../pipeline/fakes.ts";
import { type Watch, watched } from "../watch.ts";
import { cameraOf, Injector, lossesBy, runReading } from "./losses.ts";
import { randomOf } from "./mutate.ts";

// Long runs: memory does not grow, a stream's end frees everything, and a lost device loses no frame. The suite runs a
// quick part; `npm run soak` runs everything.

const many = (long: number, quick: number) => (LONG ? long : quick);
const BACKENDS = ["cpu", "webgpu"] as const;
const on = (backend: (typeof BACKENDS)[number]) =>
  ({ backend, adapter: backend === "cpu" ? "auto" : "software" }) as const;
const MIB = 2 ** 20;

const log: string[] = [];
afterAll(() => {
  if (LONG) console.log(log.join("\n"));
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The process's resident memory after garbage collection, MiB. */
async function memory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect();
    // Finalisers and Dawn's own thread free the memory of GPU objects, at moments that no event announces.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage.rss() / MIB;
}

const open = async (backend: (typeof BACKENDS)[number], options: Partial<PipelineOptions> = {}) => {
  const pipeline = await createPipeline({
    stages: [adder("one")(), adder("ten", 10)()],
    ...on(backend),
    timeEvery: 2,
    ...options,
  });
  return { pipeline, watch: pipeline.gpu ? watched(pipeline.gpu.device) : undefined };
};

describe.each(BACKENDS)("a pipeline on %s", (backend) => {
  const COUNT = many(500, 6);

  test.each(["destroy()", "unsubscribing"])(
    `frees everything after %s at a random moment, ${COUNT} times, with at most one named error`,
    async (how) => {
      const random = randomOf(11);
      for (let round = 0; round < COUNT; round++) {
        const { pipeline, watch } = await open(backend);
        const errors: string[] = [];
        const stop = { at: random(6), afterMs: random(8) };
        await new Promise<void>((resolve) => {
          let ending = false;
          const end = () => {
            if (ending) return;
            ending = true;
            setTimeout(() => {
              if (how === "unsubscribing") subscription.unsubscribe();
              void pipeline.destroy().then(resolve);
            }, stop.afterMs);
          };
          let seen = 0;
          const subscription: Subscription = patientSource(200)
            .frames$.pipe(pipeline.process(random(2) ? "lossless" : "latest"))
            .subscribe({
              next(frame) {
                frame.waitUntil(frame.readDepth().catch(() => {}));
                if (++seen >= stop.at) end();
              },
              error: ({ name }: Error) => errors.push(name),
              complete: end,
            });
          if (stop.at === 0) end();
        });
        expect(errors, `round ${round}`).toEqual(errors.length === 0 ? [] : ["PipelineDestroyedError"]);
        if (how === "unsubscribing") expect(errors).toEqual([]);
        const made = watch?.made.length;
        await new Promise((resolve) => setTimeout(resolve));
        expect([...(watch?.live ?? [])], `round ${round}`).toEqual([]);
        expect(watch?.made.length).toBe(made);
      }
    },
  );

  const FRAMES = many(Number(process.env.SOAK_FRAMES ?? 100_000), 200);
  test(`does not take more memory over ${FRAMES} frames`, async () => {
    // Only the long run uses the stages whose kernels are slow to compile.
    const stages = LONG ? [median(), bilateralGrid(), compact()] : [adder("one")(), adder("ten", 10)()];
    const { pipeline, watch } = await open(backend, { stages, timeEvery: 8 });
    const room = syntheticRoom({ width: 64, height: 48, frames: 20, noise: false });
    const ready = await Promise.all(Array.from({ length: room.length }, (_, i) => room.read(i)));
    const source = { length: room.length, read: async (i: number) => ready[i] ?? flatFrame(i) };
    const sizes: [number, number][] = [];
    let count = 0;
    await new Promise<void>((resolve, reject) => {
      framesOf(source, { loop: FRAMES / room.length })
        .pipe(pipeline.process("lossless"))
        .subscribe({
          next(frame) {
            count++;
            const tenth = count % (FRAMES / 10) === 0;
            // Some frames are read back, the first ones before anything is counted; never more at once than are in flight.
            const depth = count % 10 === 5 ? frame.readDepth() : undefined;
            frame.waitUntil(Promise.all([depth, tenth && memory().then((mib) => sizes.push([mib, liveOf(watch)]))]));
          },
          error: reject,
          complete: resolve,
        });
    });
    await pipeline.destroy();
    expect(count).toBe(FRAMES);
    expect(Math.max(...sizes.map(([, live]) => live))).toBe(sizes[0]?.[1]);
    const [first = 0, last = 0] = [sizes[1]?.[0], sizes.at(-1)?.[0]];
    log.push(sizes.map(([mib]) => mib.toFixed(0)).join(" "));
    log.push(`${FRAMES} frames on ${backend}: ${first.toFixed(0)} MiB after a fifth, ${last.toFixed(0)} at the end`);
    if (LONG) expect(last).toBeLessThan(first * 1.05);
  });

  const SIZES = many(Number(process.env.SOAK_SIZES ?? 1000), 60);
  test(`frees the buffers of one picture size for the next, over ${SIZES} sizes`, async () => {
    const { pipeline, watch } = await open(backend, LONG ? { stages: [median(), compact()] } : {});
    const live: number[] = [];
    let first = 0;
    for (let i = 0; i < SIZES; i++) {
      await pipeline.run(flatFrame(i, 1000, 8 + (i % 100), 3 + Math.floor(i / 100)));
      if (i >= 2) live.push(liveOf(watch));
      if (i === 50) first = await memory();
    }
    const last = await memory();
    await pipeline.destroy();
    log.push(`${SIZES} sizes on ${backend}: ${first.toFixed(0)} MiB after 50, ${last.toFixed(0)} after all`);
    // Objects that were just replaced may still be alive, which at most doubles their number.
    expect(Math.max(...live)).toBeLessThanOrEqual(2 * Math.min(...live));
    if (LONG) expect(last - first).toBeLessThan(50);
  });
});

const liveOf = (watch: Watch | undefined) => watch?.live.size ?? 0;

const LOSSES = { lossless: [many(5000, 40), 25], latest: [many(20_000, 100), many(20, 5)] } as const;
test.each(["lossless", "latest"] as const)("a stream under %s survives random losses of its device", async (policy) => {
  const [frames, every] = LOSSES[policy];
  const injector = new Injector();
  const opened = async (options: Partial<PipelineOptions>): Promise<Pipeline> =>
    createPipeline({
      stages: injector.stages(),
      timeEvery: 3,
      onDeviceLost: (notice) => injector.notices.push(notice),
      ...options,
    });
  const pipeline = await opened(on("webgpu"));
  injector.pipeline = pipeline;
  const frames$ = policy === "latest" ? cameraOf(frames) : patientSource(frames).frames$;
  const seen = await runReading(injector, frames$, policy, lossesBy(randomOf(3), injector, every));
  await pipeline.destroy();
  expect(seen.error).toBeUndefined();
  expect(seen.indices.at(-1)).toBe(frames - 1);
  log.push(`${injector.losses} losses over ${frames} frames under ${policy}, ${seen.indices.length} came out`);
  if (policy === "latest") return;
  injector.pipeline = await opened(on("cpu"));
  expect(await runReading(injector, patientSource(frames).frames$, policy)).toEqual(seen);
  await injector.pipeline.destroy();
});

test("a pipeline does not take more memory for many streams of one frame each", async () => {
  const { pipeline, watch } = await open("webgpu");
  for (let i = 0; i < many(2000, 30); i++) {
    await new Promise<void>((resolve, reject) => {
      of(flatFrame(i)).pipe(pipeline.process("lossless")).subscribe({ error: reject, complete: resolve });
    });
  }
  const live = liveOf(watch);
  await pipeline.run(flatFrame(0));
  expect(liveOf(watch)).toBe(live);
  await pipeline.destroy();
  expect(liveOf(watch)).toBe(0);
});
