import { defineStage } from "../define.ts";
import { fromView, number } from "../parameters.ts";
import { compactTwin } from "./cpu.ts";
import { buildCompact, variants } from "./gpu.ts";
import { compactSimd } from "./simd.ts";

/**
 * Order-preserving stream compaction: the valid pixels, in raster order, as points (`PointCloud`), with the indirect
 * arguments that draw and dispatch them. See docs/compact.md.
 */
export const compact = defineStage({
  name: "compact",
  title: "Points",
  summary: "turns the valid pixels into a list of points",
  role: "points",
  byDefault: true,
  schema: {
    nearM: fromView(number(0.5, { min: 0, max: 100, live: true }, "without colour: distance that is light grey, m")),
    farM: fromView(number(5, { min: 0, max: 100, live: true }, "without colour: distance that is dark grey, m")),
  },
  tuning: variants,
  build: buildCompact,
  twin: (shape, parameters) => compactSimd(shape, parameters) ?? compactTwin(shape, parameters),
});
