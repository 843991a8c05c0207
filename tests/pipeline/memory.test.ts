import ndarray from "ndarray";
import { concatMap, from, lastValueFrom, tap } from "rxjs";
import { beforeAll, describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { createPipeline, type Pipeline, type Policy } from "../../pipeline/index.ts";
import { openWorkbench } from "../../pipeline/tune/workbench.ts";
import { createKernel } from "../../stages/core/author.ts";
import { defineStage } from "../../stages/core/define.ts";
import { PingPong } from "../../stages/core/resources.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { useGpu } from "../gpu.ts";
import { watched } from "../watch.ts";
import { adder, flatFrame } from "./fakes.ts";

// A stage with a memory: its output for each valid pixel is how many frames that follow one another it has seen.

const counter = defineStage({
  name: "counter",
  summary: "counts the frames that follow one another",
  schema: {},
  async build({ device, input: { depth }, pool }) {
    const { width, height, stride, buffer } = depth;
    const counted = pool.depthImage("count", width, height);
    const memory = pool.turns("seen", counted.buffer.size);
    const anew = pool.buffer("anew", 4, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    const kernels = await Promise.all(
      ([0, 1] as const).map((now) =>
        createKernel(device, {
          label: "counter",
          code: `
            @group(0) @binding(0) var<uniform> anew: u32;
            @group(0) @binding(1) var<storage, read> source: array<u32>;
            @group(0) @binding(2) var<storage, read> before: array<u32>;
            @group(0) @binding(3) var<storage, read_write> seen: array<u32>;
            @group(0) @binding(4) var<storage, read_write> sink: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
              if (id.x >= arrayLength(&source)) { return; }
              let count = select(before[id.x], 0u, anew == 1u) + 0x10001u;
              seen[id.x] = count;
              let word = source[id.x];
              sink[id.x] = select(count & 0xffffu, 0u, (word & 0xffffu) == 0u) | select(count & 0xffff0000u, 0u, (word >> 16u) == 0u);
            }`,
          resources: {
            anew,
            source: buffer,
            before: memory.pair[now === 0 ? 1 : 0],
            seen: memory.pair[now],
            sink: counted.buffer,
          },
        }),
      ),
    );
    const groups = Math.ceil((stride * height) / 2 / 64);
    return {
      output: { depth: counted },
      encode(pass, context) {
        const now = memory.take(context);
        device.queue.writeBuffer(anew, 0, new Uint32Array([memory.continues ? 0 : 1]));
        kernels[now].dispatch(pass, groups);
      },
    };
  },
  twin({ intrinsics: { width, height } }) {
    const image = () => new Uint16Array(width * height);
    const memory = new PingPong([image(), image()]);
    const counted = ndarray(image(), [height, width]);
    return {
      run(frame, context) {
        const now = memory.take(context);
        const [seen, before] = [memory.pair[now], memory.pair[now === 0 ? 1 : 0]];
        frame.depth.data.forEach((depth, i) => {
          seen[i] = (memory.continues ? before[i] : 0) + 1;
          counted.data[i] = depth === 0 ? 0 : seen[i];
        });
        frame.depth = counted;
      },
    };
  },
});

describe.each(["cpu", "webgpu"] as const)("a stage with a memory, on %s", (backend) => {
  const gpu = backend === "webgpu" ? useGpu() : undefined;
  const onGpu = (name: string, body: () => Promise<void>) => gpu && test(name, body);
  let pipeline: Pipeline;
  const make = () =>
    createPipeline({
      stages: [adder("before")(), counter(), adder("after", 0)()],
      backend,
      ...(gpu && { gpu: gpu.gpu }),
    });
  /** The outputs of the frames, in order. */
  const counts = async (frames: readonly DepthFrame[], policy: Policy = "lossless") => {
    const seen: number[] = [];
    const read = async (frame: DepthFrame) => {
      const way$ = from([frame]).pipe(
        pipeline.process(policy),
        tap((processed) => processed.waitUntil(processed.readDepth().then((depth) => seen.push(depth.get(2, 4))))),
      );
      await lastValueFrom(way$);
    };
    await lastValueFrom(from(frames).pipe(concatMap(read)));
    await gpu?.device.queue.onSubmittedWorkDone();
    return seen;
  };
  const redrawn = async () => (await (await pipeline.redraw())?.readDepth())?.get(2, 4);
  beforeAll(async () => {
    pipeline = await make();
    return () => pipeline.destroy();
  });

  test.each(["lossless", "latest"] as const)(
    "counts on under the policy %s, also over dropped frames",
    async (policy) => {
      const frames = [0, 1, 2, 5, 6].map((index) => flatFrame(index));
      expect(
        await counts(
          frames.map((frame, i) => ({ ...frame, jump: i === 0 })),
          policy,
        ),
      ).toEqual([1, 2, 3, 4, 5]);
    },
  );

  test("begins anew after a seek, a loop, a gap in time, a step back and a frame of another lens", async () => {
    const at = (index: number, more: Partial<DepthFrame> = {}) => ({ ...flatFrame(index), ...more });
    const lens = { ...flatFrame(0).intrinsics, fx: 501 };
    expect(await counts([at(0, { jump: true }), at(1), at(8, { jump: true }), at(9)])).toEqual([1, 2, 1, 2]);
    expect(await counts([at(10), at(0, { jump: true }), at(1)])).toEqual([3, 1, 2]);
    expect(await counts([at(2), at(3, { timestamp: 5000 }), at(4, { timestamp: 5033 })])).toEqual([3, 1, 2]);
    expect(await counts([at(5, { timestamp: 5066 }), at(3, { timestamp: 5099 })])).toEqual([3, 1]);
    expect(await counts([at(4, { timestamp: 5133, intrinsics: lens })])).toEqual([1]);
  });

  test("keeps its memory when a frame is redrawn", async () => {
    expect(await counts([{ ...flatFrame(0), jump: true }, flatFrame(1)])).toEqual([1, 2]);
    pipeline.stages[0]?.set({ addend: 7 });
    expect([await redrawn(), await redrawn()]).toEqual([2, 2]);
    expect(await counts([flatFrame(2)])).toEqual([3]);
    expect(await redrawn()).toBe(3);
  });

  test("keeps its memory when other stages are rebuilt, disabled and enabled", async () => {
    expect(await counts([{ ...flatFrame(0), jump: true }, flatFrame(1)])).toEqual([1, 2]);
    pipeline.stages[0]?.set({ addend: 3 });
    expect(await counts([flatFrame(2)])).toEqual([3]);
    pipeline.stages[2]?.set({ addend: 10 });
    expect(await counts([flatFrame(3)])).toEqual([14]);
    pipeline.configure("before", { enabled: false });
    pipeline.configure("after", { enabled: false });
    expect(await counts([flatFrame(4)])).toEqual([5]);
    pipeline.configure("before", { enabled: true });
    pipeline.configure("after", { enabled: true });
    pipeline.stages[2]?.set({ addend: 0 });
    expect(await counts([flatFrame(5)])).toEqual([6]);
  });

  onGpu("begins anew when it moves to the CPU or back", async () => {
    expect(await counts([{ ...flatFrame(0), jump: true }, flatFrame(1)])).toEqual([1, 2]);
    pipeline.configure("counter", { onCpu: true });
    expect(await counts([flatFrame(2), flatFrame(3)])).toEqual([1, 2]);
    pipeline.configure("counter", { onCpu: false });
    expect(await counts([flatFrame(4), flatFrame(5)])).toEqual([1, 2]);
  });

  onGpu("keeps its memory during a measurement, which repeats one frame", async () => {
    expect(await counts([{ ...flatFrame(0), jump: true }, flatFrame(1)])).toEqual([1, 2]);
    const stage = pipeline.stages[1];
    if (!gpu || !stage) throw new Error("there is a GPU here, and a counter");
    const bench = await openWorkbench(gpu.gpu, flatFrame(1), [], [stage]);
    const built = await bench.build({});
    await built.time();
    expect(await built.fault()).toBeUndefined();
    built.destroy();
    bench.destroy();
    expect(await counts([flatFrame(2)])).toEqual([3]);
  });

  onGpu("leaves nothing on the device after a measurement, nor after one that cannot begin", async () => {
    if (!gpu) throw new Error("there is a GPU here");
    const watch = watched(gpu.device);
    const frame = { ...flatFrame(1), color: image(new Uint8Array(60), [3, 5, 4]) };
    (await openWorkbench(gpu.gpu, frame, [counter()], [counter()])).destroy();
    await expect(openWorkbench(gpu.gpu, frame, [counter(), dofSplat()], [counter()])).rejects.toThrow(/needs points/);
    expect([...watch.live]).toEqual([]);
    watch.stop();
  });
});
