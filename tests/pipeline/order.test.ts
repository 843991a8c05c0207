import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { createPipeline, type Pipeline, type PipelineOptions } from "../../pipeline/index.ts";
import { Lineup } from "../../pipeline/lineup.ts";
import { compact, decimate, fillHoles, median, threshold, undistort } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";

// The order of a pipeline's stages can be changed while it runs. New frames and redraws then give the depth of a pipeline that was
// made in that order, and no kernel that was compiled before is compiled anew.

function frameOf(index: number, [width, height] = [40, 24]): DepthFrame {
  const at = (_: unknown, i: number) => (i % 7 === 0 ? 0 : 900 + ((i * 37 + index * 11) % 400));
  const depth = image(Uint16Array.from({ length: width * height }, at), [height, width]);
  const intrinsics = { fx: 40, fy: 40, cx: 19.5, cy: 11.5, width, height };
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index };
}

// Holes are filled before or after threshold removes far pixels, so that the two orders give different depth.
const stages = () => [threshold({ maxM: 1.1 }), decimate(), median(), fillHoles({ mark: false }), compact()];
const ORDERS = [
  ["threshold", "decimate", "median", "fillHoles"],
  ["fillHoles", "threshold", "median", "decimate"],
];

async function depthOf(pipeline: Pipeline, frame: DepthFrame): Promise<number[]> {
  return Array.from((await (await pipeline.run(frame)).readDepth()).data);
}

async function expected(options: Partial<PipelineOptions>, order: readonly string[], frame: DepthFrame) {
  const made = stages();
  const sorted = made.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const last = made.filter(({ name }) => !order.includes(name));
  const pipeline = await createPipeline({
    ...options,
    stages: [...sorted.filter(({ name }) => order.includes(name)), ...last],
  });
  try {
    return await depthOf(pipeline, frame);
  } finally {
    await pipeline.destroy();
  }
}

const gpu = useGpu();

describe.each(["webgpu", "cpu"] as const)("pipeline.order on %s", (backend) => {
  const options = () => (backend === "cpu" ? { backend } : { gpu: gpu.gpu });

  test("gives the depth of a pipeline made in that order, for a new frame and for a redraw", async () => {
    await using pipeline = await createPipeline({ ...options(), stages: stages() });
    const seen = new Set<string>();
    for (const [i, order] of ORDERS.entries()) {
      const frame = frameOf(i);
      pipeline.order(order);
      expect(pipeline.stages.map(({ name }) => name)).toEqual([...order, "compact"]);
      const wanted = await expected(options(), order, frame);
      expect(await depthOf(pipeline, frame)).toEqual(wanted);
      // The order goes back and forth for the frame that was last run.
      pipeline.order(order.toReversed());
      const turned = await pipeline.redraw();
      expect(Array.from((await turned?.readDepth())?.data ?? [])).toEqual(
        await expected(options(), order.toReversed(), frame),
      );
      pipeline.order(order);
      const again = await pipeline.redraw();
      expect(Array.from((await again?.readDepth())?.data ?? [])).toEqual(wanted);
      seen.add(wanted.join());
    }
    expect(seen.size).toBe(ORDERS.length);
  });

  test("swaps the named stages among their places, enabled or not", async () => {
    await using pipeline = await createPipeline({ ...options(), stages: stages() });
    pipeline.configure("median", { enabled: false });
    pipeline.order(["fillHoles", "threshold"]);
    const order = ["fillHoles", "decimate", "median", "threshold", "compact"];
    expect(pipeline.stages.map(({ name }) => name)).toEqual(order);
    expect(pipeline.isEnabled("median")).toBe(false);
  });
});

test("a lineup hands on the same list until a switch, the order or the frames' shape changes it", () => {
  const shape = (distortion: readonly number[] = []) => ({
    metresPerUnit: 0.001,
    intrinsics: { fx: 40, fy: 40, cx: 20, cy: 15, width: 41, height: 31, distortion },
  });
  const lineup = new Lineup([median(), undistort(), threshold(), compact()]);
  const names = (distortion?: readonly number[]) =>
    lineup.active(null, shape(distortion)).map(({ stage, onCpu }) => (onCpu ? `${stage.name} on the CPU` : stage.name));
  const first = lineup.active(null, shape());
  expect(names()).toEqual(["median", "threshold", "compact"]);
  expect(lineup.active(null, shape())).toBe(first);
  expect(names([-0.1, 0, 0, 0, 0])).toEqual(["median", "undistort", "threshold", "compact"]);
  lineup.configure("threshold", { enabled: false });
  lineup.configure("compact", { onCpu: true });
  expect(names()).toEqual(["median", "compact on the CPU"]);
  lineup.configure("threshold", { enabled: true });
  lineup.order(["threshold", "median"]);
  expect(names()).toEqual(["threshold", "median", "compact on the CPU"]);
  expect(first.map(({ stage }) => stage.name)).toEqual(["median", "threshold", "compact"]);
});
