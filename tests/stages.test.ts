import { expect, test } from "vitest";
import type { DepthFrame } from "../core/frame.ts";
import { createPipeline } from "../pipeline/index.ts";
import { pictureDifference } from "../pipeline/tune/twinCheck.ts";
import { bilateralGrid } from "../stages/bilateralGrid/index.ts";
import { compact } from "../stages/compact/index.ts";
import { defineStage } from "../stages/core/define.ts";
import { number, ParameterError, setWithin } from "../stages/core/parameters.ts";
import type { Twin } from "../stages/core/stage.ts";
import { dofSplat } from "../stages/dofSplat/index.ts";
import { median } from "../stages/median/index.ts";
import { registry, stageNamed } from "../stages/registry.ts";
import { stereo } from "../stages/stereo/index.ts";
import { shape as shapeOf } from "./dofSplat/draw.ts";
import { pairOf, photograph } from "./formFrames.ts";
import { expectImage, image, useGpu } from "./gpu.ts";

// What holds for all stages beside what tests/forms.test.ts and tests/pipeline/perFrame.test.ts ask of each.

const gpu = useGpu();
const source = shapeOf(144, 80, 120);

test("a parameter is 0 where -0 was given, which an address cannot say", () => {
  const splats = dofSplat({ background: [-0, 0.5, -0] });
  const lifted = defineStage({
    name: "lift",
    summary: "a parameter that may be negative",
    schema: { byM: number(0, { min: -1, max: 1 }, "how far") },
    build: () => Promise.reject(new Error("it is not built")),
    twin: () => ({ run() {} }),
  })({ byM: -0 });
  expect([...splats.parameters.background, lifted.parameters.byM].filter((value) => Object.is(value, -0))).toEqual([]);
});

test("a stage names the parameter that it refuses", () => {
  const refusal = (set: () => void, message: string) => expect(set).toThrow(new ParameterError(message));
  const space = "bilateralGrid.sigmaSpacePx must be a whole number from 2 to 64, not";
  refusal(() => bilateralGrid({ sigmaSpacePx: 1 }), `${space} 1`);
  refusal(() => bilateralGrid({ sigmaSpacePx: 2.5 }), `${space} 2.5`);
  // @ts-expect-error: a number is wanted.
  refusal(() => bilateralGrid().set({ sigmaSpacePx: "66" }), `${space} "66"`);
  refusal(() => compact({ nearM: -1 }), "compact.nearM must be a number from 0 to 100, not -1");
  // @ts-expect-error: there is no such size.
  refusal(() => median({ size: 4 }), "median.size must be one of 3, 5, not 4");
  // @ts-expect-error: there is no such parameter.
  expect(() => compact().set({ colorBy: "rgb" })).toThrow("compact has no parameter colorBy; it has nearM, farM");
});

test("a twin ends the one before it, unless it works on the memory of that one", () => {
  const ended: string[] = [];
  const named = (name: string, twin: Twin) => Object.assign(twin, { destroy: () => void ended.push(name) });
  const grid = bilateralGrid();
  const first = named("planes", grid.twin(source));
  const second = named("planes on the same memory", grid.twin(source, first));
  expect(ended).toEqual([]);
  grid.set({ fit: "constant" });
  const third = named("means", grid.twin(source, second));
  expect(ended).toEqual(["planes on the same memory"]);
  const matcher = stereo();
  const pairs = named("pairs", matcher.twin(source));
  matcher.twin(source, pairs);
  grid.twin(source, third);
  expect(ended).toEqual(["planes on the same memory", "pairs", "means"]);
});

test("a pipeline of all stages gives the same output with any one stage on the CPU", async () => {
  const stages = [...registry.keys()].map(stageNamed);
  for (const stage of stages) {
    if (stage.role === "picture") stage.set({ width: 60, height: 40 });
    if (stage.gives === "depth") stage.set({ disparities: 64, paths: 4 });
    if (stage.role === "colour") stage.set({ by: "lit" });
  }
  const lens = { ...source.intrinsics, distortionModel: "brown-conrady", distortion: [-0.1] } as const;
  // A slanted wall with holes, which is 4 mm farther away in the second frame: it follows the first, so that memories are read.
  const walls = [0, 1].map((index): DepthFrame => {
    const depth = Uint16Array.from({ length: 144 * 80 }, (_, i) =>
      i % 7 === 0 ? 0 : 1000 + 4 * index + 5 * (i % 144) + (i >> 5),
    );
    const color = photograph(image(depth, 144));
    if (index > 0) color.data.reverse();
    const images = { depth: image(depth, 144), color };
    return { ...source, ...images, intrinsics: lens, index, timestamp: 33 * index, jump: index === 0 };
  });
  const pairs = walls.map((wall): DepthFrame => ({ ...wall, pair: pairOf(wall.depth, wall.index) }));
  const pipeline = await createPipeline({ stages, gpu: gpu.gpu });
  const resultsOf = async (frame: DepthFrame) => {
    const processed = await pipeline.run(frame);
    return Promise.all([
      processed.readDepth(),
      processed.readPoints(),
      processed.readPicture(),
      processed.readPose(),
      processed.readRaw(),
    ]);
  };
  const bothOf = async ([one, other]: readonly DepthFrame[]) => {
    // A stage without any past says another state than one after a jump.
    await pipeline.run(one);
    return [await resultsOf(one), await resultsOf(other)];
  };
  for (const frames of [walls, pairs]) {
    const expected = await bothOf(frames);
    for (const { name, role } of stages.filter(({ gives }) => (gives === "depth") === (frames === pairs))) {
      pipeline.configure(name, { onCpu: true });
      const found = await bothOf(frames);
      pipeline.configure(name, { onCpu: false });
      for (const [turn, [depth, points, picture, pose, raw]] of found.entries()) {
        const [kernelDepth, kernelPoints, kernelPicture, kernelPose, kernelRaw] = expected[turn];
        expect([pose.state, pose.partners], name).toEqual([kernelPose.state, kernelPose.partners]);
        expect(raw.data, name).toEqual(kernelRaw.data);
        expect(kernelPoints.shape[0]).toBeGreaterThan(2000);
        // Kernels and twins may round a sum of floats differently at a tie, and the stages after them see that.
        expectImage(depth.data, kernelDepth.data, { width: depth.shape[1], name, tolerance: 1 });
        expect(points.shape, name).toEqual(kernelPoints.shape);
        if (role !== "filter") expect(pictureDifference(kernelPicture, picture), name).toBeUndefined();
      }
    }
  }
  await pipeline.destroy();
});

test("values that follow from a scene are set within a parameter's range, and only where there is such a parameter", () => {
  const splats = dofSplat();
  setWithin(splats, { focusM: 0.02, verticalFovDeg: 170, nearM: 3, blades: 7 });
  expect(splats.parameters).toMatchObject({ focusM: 0.05, verticalFovDeg: 150, blades: 7 });
});
