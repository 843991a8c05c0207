// Kernels: shaders/bilateralGrid/, planes in plane*.wgsl, means in the others. Twin: stages/bilateralGrid/planes/cpu.ts or
// stages/bilateralGrid/means/cpu.ts, by the parameter `fit`. Fast form of planes: planes/assembly/, which planes/simd.ts runs. Tests:
// tests/bilateralGrid.test.ts, tests/bilateralGrid/ and tests/forms.test.ts. Pages: docs/bilateralGrid.md and docs/lab/bilateralGrid.md.
//
//   fit      kernels of shaders/bilateralGrid/                twin, in files of the same names   fast form, in files of the same names
//   planes   planeBuild, planeFit, planeRefit, planeSlice     stages/bilateralGrid/planes/       stages/bilateralGrid/planes/assembly/
//   means    build, blur, slice                               stages/bilateralGrid/means/        none

import { defineStage } from "../core/define.ts";
import { FINE_GRAIN, WHITE } from "../core/noise.ts";
import { choice, expert, labelled, number } from "../core/parameters.ts";
import { rounded, sigmaFor } from "../core/sigma.ts";
import { gridTwin } from "./means/cpu.ts";
import { gridOnGpu } from "./means/gpu.ts";
import { gridShape, MAX_BYTES } from "./means/grid.ts";
import { planeTwin } from "./planes/cpu.ts";
import { planesOnGpu } from "./planes/gpu.ts";
import { planeShape } from "./planes/shape.ts";
import { planesSimd } from "./planes/simd.ts";

/** Planes follow a blob of noise as wide as a tile, unless sigma is at least this many times the whole noise. */
const TIMES_BLOBS = 4;
/** The same where no mean over time calms the blobs; noise of a single frame is raised anyway (sigma.ts). */
const TIMES_ALONE = 7;
/** Where the grain is coarser than this, sigma begins to rise to `TIMES_BLOBS` times the noise; a Kinect v1's grain is finer. */
const BLOB_GRAIN = 1 / 2;
/** From this grain on sigma is raised in full; a stereo camera's grain exceeds it. */
const COARSE_GRAIN = 3 / 4;

/**
 * The bilateral grid: smooths surfaces and keeps the steps between them. (Paris and Durand, "A Fast Approximation of the Bilateral Filter
 * using a Signal Processing Approach", 2006; Chen, Paris and Durand, "Real-time Edge-Aware Image Processing with the Bilateral Grid",
 * 2007.)
 *
 * Reads and replaces `depth`. Invalid pixels have no weight and stay invalid; valid pixels stay valid; pixels farther than `maxDepthM` have
 * no weight and are copied. Building throws a `ParameterError` if the grid would exceed 512 MiB or the device's largest binding. See
 * docs/bilateralGrid.md.
 *
 * @example
 * const stages = [median(), bilateralGrid({ sigmaSpacePx: 12 }), compact()];
 */
export const bilateralGrid = defineStage({
  name: "bilateralGrid",
  title: "Smooth surfaces",
  summary: "smooths surfaces and keeps the steps between them",
  role: "filter",
  place: 3,
  byDefault: true,
  smooths: true,
  schema: {
    fit: choice(
      "plane",
      ["plane", "constant"],
      "what is fitted to the pixels around each pixel: a plane in space, or a constant (a mean)",
    ),
    sigmaSpacePx: labelled(
      "Reach",
      number(
        8,
        { min: 2, max: 64, step: 1 },
        "how far smoothing reaches, px; an even number of at least 4 where a constant is fitted",
      ),
    ),
    sigmaDepthMm: labelled(
      "Depth tolerance",
      number(3, { min: 1, max: 1000 }, "depth differences smaller than this are smoothed away, mm"),
    ),
    sigmaDepthPerM2Mm: labelled(
      "Tolerance growth",
      number(2, { min: 0, max: 100 }, "growth of the depth tolerance with the square of the distance, mm per m²"),
    ),
    softness: labelled(
      "Softness",
      expert(
        number(
          0,
          { min: 0, max: 1 },
          "how softly planes blend into curved surfaces: 0 keeps most of small relief, 1 leaves the smallest creases",
        ),
      ),
    ),
    maxDepthM: number(10, { min: 0.1, max: 100 }, "pixels farther than this pass unfiltered, m"),
  },
  // The default sigmas are two to three times the sensor's noise. Their lower bound was chosen with both Kinects
  // (docs/lab/bilateralGridPlanes.md). For a Kinect v2 that bound would smooth small relief away, so its preset goes below it.
  presets: {
    strong: { sigmaSpacePx: 16, sigmaDepthMm: 5, sigmaDepthPerM2Mm: 5 },
    "kinect-v2": { sigmaDepthMm: 2, sigmaDepthPerM2Mm: 0.4 },
    "azure-kinect": { sigmaDepthMm: 1.5, sigmaDepthPerM2Mm: 0.6 },
    realsense: { sigmaDepthMm: 1, sigmaDepthPerM2Mm: 7 },
    "at-hand": { sigmaDepthMm: 1, sigmaDepthPerM2Mm: 4 },
    phone: { sigmaDepthMm: 8, sigmaDepthPerM2Mm: 4 },
  },
  // A cell's mean needs many pixels, and a sigma so wide that the pixels of a slanted surface stay within it.
  defaultsWith({ fit, sigmaDepthMm }, noise, isAveraged) {
    if (fit === "constant") return { sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0 };
    const usual = { atHandMm: sigmaDepthMm, perM2Mm: 2 };
    const grain = noise?.grain ?? WHITE;
    // Noise that a small window averages out leaves room for smaller tiles, which keep brows and lips, and for longer cells.
    const fine = noise && grain < FINE_GRAIN ? (noise.certain ?? 0) : 0;
    // A mean over time takes the noise that small tiles leave. Without a mean over time, a coarser grain needs longer cells and a softer
    // blend, and steps larger than the noise need wider tiles. Such steps need wider tiles also while the camera moves.
    const coarse = isAveraged ? 0 : Math.max(0, (grain - WHITE) / (FINE_GRAIN - WHITE));
    const isTerraced = noise !== undefined && (noise.stepPerM2Mm ?? 0) > noise.b;
    const isWide = isTerraced && (!isAveraged || (noise.moving ?? 0) > 0.5);
    const blobs = Math.min(1, Math.max(0, (grain - BLOB_GRAIN) / (COARSE_GRAIN - BLOB_GRAIN)));
    const times = isAveraged || noise?.certain !== 1 ? TIMES_BLOBS : TIMES_ALONE;
    const whole = times * Math.hypot(1, noise?.stands ?? 0);
    const least = rounded(2 + fine * (0.5 + 3.5 * coarse) + blobs * (whole - 2));
    const { atHandMm, perM2Mm } = sigmaFor(noise, { least, most: Math.max(3, least), steps: 0.95 }, usual);
    return {
      sigmaSpacePx: fine === 1 ? (isWide ? 7 : 6) : 8,
      sigmaDepthMm: Math.max(1, atHandMm),
      sigmaDepthPerM2Mm: perM2Mm,
      softness: rounded(fine * coarse),
    };
  },
  // Where a constant is fitted, the sliced depth is rounded from a sum of floats, which kernels and twin may round differently at ties.
  depthTolerance: ({ fit }) => (fit === "constant" ? 1 : 0),
  async build({ device, shape: { metresPerUnit }, input: { depth }, parameters, pool }) {
    const maxBytes = Math.min(MAX_BYTES, device.limits.maxStorageBufferBindingSize);
    if (parameters.fit === "plane") {
      const shape = planeShape(depth.width, depth.height, metresPerUnit, parameters, maxBytes);
      const { filtered, encode } = await planesOnGpu(pool, shape, depth);
      return { output: { depth: filtered }, encode };
    }
    const shape = gridShape(depth.width, depth.height, metresPerUnit, parameters, maxBytes);
    const { filtered, encode } = await gridOnGpu(pool, shape, depth);
    return { output: { depth: filtered }, encode };
  },
  twin({ metresPerUnit, intrinsics: { width, height } }, parameters, before) {
    if (parameters.fit === "plane") {
      const shape = planeShape(width, height, metresPerUnit, parameters);
      return planesSimd(shape, before) ?? planeTwin(shape);
    }
    return gridTwin(gridShape(width, height, metresPerUnit, parameters));
  },
});
