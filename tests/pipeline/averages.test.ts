import { expect, onTestFinished, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { bilateralGrid, median, temporal } from "../../stages/index.ts";

// Whether a mean over time follows is known to the stages before it, so that their defaults for a sensor's noise suit that.

const NOISE = { a: 0, b: 3, nearM: 0.5, farM: 2, certain: 1, grain: 0.25 };
/** bilateralGrid's softness by that noise. */
const [BEFORE_A_MEAN, ALONE] = [0, 0.63];

async function pipelineOf(...stages: readonly Stage[]) {
  const pipeline = await createPipeline({ stages, backend: "cpu" });
  onTestFinished(() => pipeline.destroy());
  for (const stage of stages) stage.applyNoise(NOISE);
  return pipeline;
}

test("bilateralGrid's softness follows temporal as it is switched off, on, and moved before it", async () => {
  const grid = bilateralGrid();
  const pipeline = await pipelineOf(median(), grid, temporal());
  const softness = () => grid.parameters.softness;
  expect(softness()).toBe(BEFORE_A_MEAN);
  pipeline.configure("temporal", { enabled: false });
  expect(softness()).toBe(ALONE);
  pipeline.configure("median", { enabled: false });
  expect(softness()).toBe(ALONE);
  pipeline.configure("temporal", { enabled: true });
  expect(softness()).toBe(BEFORE_A_MEAN);
  pipeline.order(["temporal", "bilateralGrid"]);
  expect(softness()).toBe(ALONE);
});

test("a pipeline without temporal blends planes more softly, except where the user has set how softly", async () => {
  const grid = bilateralGrid();
  await pipelineOf(grid);
  expect(grid.parameters.softness).toBe(ALONE);
  const own = bilateralGrid({ softness: 0.1 });
  await pipelineOf(own);
  expect(own.parameters.softness).toBe(0.1);
});

test("the stages that replay chooses know it before there is a pipeline", () => {
  const softnessOf = (names: readonly string[] | undefined) => {
    const grid = chooseStages(names, undefined).stages.find(({ name }) => name === "bilateralGrid");
    grid?.applyNoise(NOISE);
    return grid?.parameters.softness;
  };
  expect(softnessOf(undefined)).toBe(BEFORE_A_MEAN);
  expect(softnessOf(["median", "bilateralGrid", "temporal"])).toBe(BEFORE_A_MEAN);
  expect(softnessOf(["median", "bilateralGrid"])).toBe(ALONE);
});
