import { Subject } from "rxjs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DepthFrame, type FrameShape, image } from "../../core/frame.ts";
import { createPipeline, type Pipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import type { BuildOptions, Stage, Twin } from "../../stages/core/stage.ts";
import { registry } from "../../stages/registry.ts";
import { useGpu } from "../gpu.ts";
import { QUICK } from "../mode.ts";
import { notched } from "../notched.ts";
import { type Watch, watched } from "../watch.ts";
import { adder, flatFrame } from "./fakes.ts";

// A pipeline rebuilds only what changed: a notch of any parameter allocates for its own stage at most, and a kernel that was compiled
// once is not compiled again.

const [WIDTH, HEIGHT] = [40, 24];

function frameOf(index: number, colored = true): DepthFrame {
  const depth = image(
    Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => (i % 7 === 0 ? 0 : 900 + ((i * 37 + index) % 200))),
    [HEIGHT, WIDTH],
  );
  const color = image(new Uint8Array(WIDTH * HEIGHT * 4).fill(90), [HEIGHT, WIDTH, 4]);
  const intrinsics = { fx: 40, fy: 40, cx: 19.5, cy: 11.5, width: WIDTH, height: HEIGHT, distortion: [0.1] };
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index, ...(colored && { color }) };
}

const parameters = [...registry].flatMap(([stage, { schema }]) =>
  Object.entries(schema).map(([name, parameter]) => ({ stage, name, parameter })),
);

/** On a GPU a notch takes a tenth of a second, so the quick run takes every third parameter there. */
const onGpu = QUICK ? parameters.filter((_, i) => i % 3 === 0) : parameters;

/** Every stage of the library, with a small picture. */
function everyStage(): Stage[] {
  const stages = [...registry.values()].map((create) => create());
  for (const { schema, set } of stages) if ("width" in schema) set({ width: 48, height: 32 });
  return stages;
}

describe("a pipeline of every stage", () => {
  const gpu = useGpu();
  let watch: Watch;
  const at = { made: 0, compiled: 0 };
  /** Labels of objects that were made since the last call. Buffers of a readback are left out: no stage made them. */
  const since = () => {
    const [objects, compiled] = [watch.made.slice(at.made), watch.compiled.slice(at.compiled)];
    Object.assign(at, { made: watch.made.length, compiled: watch.compiled.length });
    return { objects: objects.filter((label) => label !== "readback"), compiled };
  };
  let pipeline: Pipeline;
  let index = 0;
  const run = async (frame = frameOf(++index)) => {
    const depth = await (await pipeline.run(frame)).readDepth();
    await gpu.device.queue.onSubmittedWorkDone();
    return depth;
  };

  beforeAll(async () => {
    watch = watched(gpu.device);
    pipeline = await createPipeline({ stages: everyStage(), gpu: gpu.gpu, timeEvery: 1 });
    await run();
    since();
  });
  afterAll(async () => {
    await pipeline.destroy();
    watch.stop();
  });

  test("allocates and compiles nothing from frame to frame and for a redraw", async () => {
    for (let i = 0; i < 3; i++) await run();
    await pipeline.redraw();
    expect(since()).toEqual({ objects: [], compiled: [] });
  });

  test.each(onGpu)(
    "rebuilds no more than needed for a notch of $stage's $name, and compiles nothing for a notch back",
    async ({ stage, name, parameter }) => {
      const found = pipeline.stages.find((candidate) => candidate.name === stage);
      const [before, notch] = [found?.parameters[name], notched(parameter)];
      expect(notch).not.toEqual(before);
      const labels: string[][] = [];
      // A change of a live parameter makes nothing in any round.
      for (const [round, value] of (parameter.live ? [notch, before] : [notch, before, notch, before]).entries()) {
        found?.set({ [name]: value });
        if (round === 1) await pipeline.redraw();
        else await run();
        const { objects, compiled } = since();
        labels.push(objects);
        if (parameter.live) expect([objects, compiled]).toEqual([[], []]);
        if (round > 0) expect(compiled, "it had been compiled before").toEqual([]);
      }
      const others = labels.flat().filter((label) => label.split(" ")[0] !== stage);
      // A stage that changes the frame's size has all stages after it rebuilt.
      if (name === "factor") expect(others.length).toBeGreaterThan(0);
      else expect(others).toEqual([]);
    },
  );

  test("compiles nothing anew when a stage is disabled and enabled again", async () => {
    const withoutEach = async () => {
      for (const { name, role } of pipeline.stages) {
        if (role !== "filter") continue;
        pipeline.configure(name, { enabled: false });
        await run();
        pipeline.configure(name, { enabled: true });
        await run();
      }
    };
    // Without decimate frames are larger; kernels for their size are compiled once.
    await withoutEach();
    since();
    await withoutEach();
    expect(since().compiled).toEqual([]);
  });
});

describe("a pipeline of every stage on the CPU", () => {
  const [made, ran]: [string[], string[]] = [[], []];
  const counted = (stage: Stage): Stage =>
    Object.create(stage, {
      twin: {
        value: (shape: Parameters<Stage["twin"]>[0]) => {
          made.push(stage.name);
          const { run } = stage.twin(shape);
          return {
            run(...given: Parameters<typeof run>) {
              ran.push(stage.name);
              run(...given);
            },
          };
        },
      },
    });
  let pipeline: Pipeline;
  const names = () => pipeline.stages.map(({ name }) => name);
  const since = () => ({ made: made.splice(0), ran: ran.splice(0) });

  beforeAll(async () => {
    pipeline = await createPipeline({ stages: everyStage().map(counted), backend: "cpu" });
    await pipeline.run(frameOf(0));
    expect(since()).toEqual({ made: names(), ran: names() });
  });
  afterAll(() => pipeline.destroy());

  test.each(parameters)(
    "makes no more twins anew than needed for a notch of $stage's $name",
    async ({ stage, name, parameter }) => {
      const place = names().indexOf(stage);
      // A stage that changes the frame's size has all stages after it rebuilt.
      const own = parameter.live ? [] : name === "factor" ? names().slice(place) : [stage];
      const before = pipeline.stages[place].parameters[name];
      pipeline.stages[place].set({ [name]: notched(parameter) });
      await pipeline.redraw();
      expect(since(), "drawn again from there on").toEqual({ made: own, ran: names().slice(place) });
      pipeline.stages[place].set({ [name]: before });
      await pipeline.run(frameOf(1));
      expect(since(), "with a new frame").toEqual({ made: own, ran: names() });
      await pipeline.run(frameOf(2));
      expect(since(), "and no more after that").toEqual({ made: [], ran: names() });
    },
  );
});

describe("parameters that are dragged while frames flow", () => {
  const gpu = useGpu();

  test("colour in every second frame discards no times", async () => {
    const stages = ["median", "compact"].map((name) => registry.get(name)?.()).filter((stage) => stage !== undefined);
    await using coloured = await createPipeline({ stages, gpu: gpu.gpu, timeEvery: 1 });
    for (let i = 0; i < 8; i++) await coloured.run(frameOf(i, i % 2 === 0));
    await coloured.idle();
    await vi.waitFor(() => expect(coloured.statistics.snapshot().frame.samples).toBeGreaterThan(4));
  });
  const wall = (index: number) => flatFrame(index, 1000, 64, 48);

  /** Feeds a frame after the other, each when the one before is out, and changes the stage before each. Returns the last frame's depth. */
  async function drag(stage: Stage, count: number, before: (index: number) => void) {
    const pipeline = await createPipeline({ stages: [stage], gpu: gpu.gpu });
    const frames$ = new Subject<DepthFrame>();
    const processed: ProcessedFrame[] = [];
    const ended = frames$.pipe(pipeline.process("latest")).forEach((frame) => void processed.push(frame));
    for (let index = 0; index < count; index++) {
      before(index);
      frames$.next(wall(index));
      await vi.waitUntil(() => processed.length === index + 1, { timeout: 60_000, interval: 1 });
    }
    const depth = await (await pipeline.redraw())?.readDepth();
    const { dropped } = pipeline.statistics;
    frames$.complete();
    await ended;
    await pipeline.destroy();
    return { depth, dropped };
  }

  test("hold up no frame while a stage is built, and the newest value is the one that stays", async () => {
    const create = adder("slow");
    const stage = create({ addend: 1 });
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let builds = 0;
    const slow: Stage = Object.create(stage, {
      build: {
        value: async (options: BuildOptions) => {
          const built = stage.build(options);
          if (builds++ > 0) await gate;
          return built;
        },
      },
    });
    const { depth, dropped } = await drag(slow, 31, (index) => {
      if (index > 0) slow.set({ addend: index });
      if (index === 30) open();
    });
    expect(dropped).toBe(0);
    expect(depth?.data[1]).toBe(1030);
    // The first build, a second one that 29 frames did not wait for, and the build of the newest value.
    expect(builds).toBe(3);
  });
});

describe("a stage that runs on its CPU twin in a pipeline on a GPU", () => {
  const gpu = useGpu();

  test("hands its twin on to the next one, and keeps it where a build fails", async () => {
    const stage = adder("handed")({ addend: 1 });
    const made: { readonly before: Twin | undefined; readonly twin: Twin }[] = [];
    const ended: Twin[] = [];
    const watched: Stage = Object.create(stage, {
      build: {
        value: (options: BuildOptions) => {
          if (stage.parameters.addend === 13) throw new Error("thirteen is not built");
          return stage.build(options);
        },
      },
      twin: {
        value(shape: FrameShape, before?: Twin): Twin {
          const { run } = stage.twin(shape);
          const twin: Twin = { run, destroy: () => void ended.push(twin) };
          made.push({ before, twin });
          return twin;
        },
      },
    });
    await using pipeline = await createPipeline({ stages: [watched], gpu: gpu.gpu });
    pipeline.configure("handed", { onCpu: true });
    const depthWith = async (addend: number) => {
      stage.set({ addend });
      return (await (await pipeline.run(flatFrame(0, 1000))).readDepth()).data[1];
    };
    expect(await depthWith(1)).toBe(1001);
    await expect(depthWith(13)).rejects.toThrow("thirteen is not built");
    expect([made.length, ended.length], "the twin before the failed build lives").toEqual([1, 0]);
    expect(await depthWith(2)).toBe(1002);
    expect(made[1]?.before).toBe(made[0]?.twin);
    pipeline.configure("handed", { onCpu: false });
    expect(await depthWith(2)).toBe(1002);
    expect(ended).toEqual([made[1]?.twin]);
  });
});
