// Kernels: shaders/compact/, which stages/compact/gpu.ts builds. Twin: stages/compact/cpu.ts. Fast form: stages/compact/assembly/, which
// simd.ts runs. Tests: tests/compact.test.ts, tests/compact/ and tests/forms.test.ts. Pages: docs/compact.md and docs/lab/compact.md.

import { defineStage } from "../core/define.ts";
import { fromView, number } from "../core/parameters.ts";
import { compactTwin } from "./cpu.ts";
import { buildCompact, variants } from "./gpu.ts";
import { compactSimd } from "./simd.ts";

/**
 * Order-preserving stream compaction: writes the valid pixels, in raster order, as points (`PointCloud`), with the arguments of the
 * indirect draw and dispatch. Reads `depth` (or `shown`) and `color`; adds `points`. See docs/compact.md.
 *
 * @example
 * const pipeline = await createPipeline({ stages: [median(), compact()] });
 * const points = await (await pipeline.run(await recording.read(0))).readPoints();
 */
export const compact = defineStage({
  name: "compact",
  title: "Make points",
  summary: "turns the valid pixels into a list of points",
  role: "points",
  byDefault: true,
  schema: {
    nearM: fromView(
      number(0.5, { min: 0, max: 100, live: true }, "points without colour are light grey at this distance, m"),
    ),
    farM: fromView(
      number(5, { min: 0, max: 100, live: true }, "points without colour are dark grey at this distance, m"),
    ),
  },
  tuning: variants,
  build: buildCompact,
  twin: (shape, parameters) => compactSimd(shape, parameters) ?? compactTwin(shape, parameters),
});
