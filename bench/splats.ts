import { writeFileSync } from "node:fs";
import type { Gpu } from "../pipeline/device/gpu.ts";
import { openGpu } from "../pipeline/device/open.ts";
import { overridesFor, profilesFor } from "../pipeline/tune/profile.ts";
import { type Candidate, warmUp } from "../pipeline/tune/search.ts";
import { openWorkbench } from "../pipeline/tune/workbench.ts";
import type { DepthFrame } from "../sources/core/frame.ts";
import { type Overrides, textOf } from "../stages/core/tuning.ts";
import { compact, dofSplat } from "../stages/index.ts";
import { adapterOf } from "./adapter.ts";
import { filledFrame } from "./frames.ts";
import { machineHere } from "./machine.ts";
import { readWords } from "./measure/words.ts";
import type { BenchOptions } from "./options.ts";
import { blurTo } from "./radius.ts";
import { splatsPage } from "./report/splats.ts";
import { type Log, type Size, type SplatReport, type SplatRow, type Spread, spreadOf } from "./types.ts";

// Measures the cost of depth of field against the number of splat-tile pairs, for several apertures and numbers of points, in a picture of
// 1280 × 720.

const SIZES: readonly Size[] = [
  { width: 320, height: 240 },
  { width: 640, height: 480 },
  { width: 1280, height: 960 },
  { width: 1920, height: 1080 },
  { width: 2560, height: 1600 },
];
/** The mean radius of the circle of confusion, px. */
const RADII = [0, 1, 2, 4, 7, 10, 14];
const TRIALS = 15;
/**
 * An H200 sometimes lowers its clock rate; then an empty dispatch takes longer, too. A row measured at such a rate is measured again, at
 * most this many times.
 */
const ATTEMPTS = 5;
const SLOW = 1.05;

/** Returns exit status 1 if a tile had no room for its list. */
export async function runSplats(options: BenchOptions, log: Log): Promise<number> {
  const gpu = (await openGpu(options.adapter)) ?? (await openGpu("software"));
  if (!gpu) throw new Error("no WebGPU adapter here");
  gpu.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  try {
    const small = options.quick || gpu.software;
    const sizes = options.sizes ?? (small ? SIZES.slice(0, 2) : SIZES);
    const tuned = overridesFor(dofSplat(), gpu, await profilesFor(gpu));
    const variants = Object.keys(tuned).length > 0 ? [{}, tuned] : [{}];
    const rows: SplatRow[] = [];
    const pace: Pace = { leastUs: Infinity };
    for (const size of sizes) {
      const frame = await filledFrame(size);
      for (const radius of small ? [0, 4, 10] : RADII) {
        const trials = options.trials ?? (options.quick ? 5 : TRIALS);
        for (const row of await measure(gpu, frame, radius, variants, trials, pace)) {
          rows.push(row);
          log(lineOf(row));
        }
      }
    }
    const report: SplatReport = { machine: machineHere(), adapter: adapterOf(gpu), tuned: textOf(tuned), rows };
    if (options.out) writeFileSync(options.out, `${JSON.stringify(report, null, 1)}\n`);
    if (options.html) writeFileSync(options.html, splatsPage(report));
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${rows.map(lineOf).join("\n")}\n`);
    return rows.every(({ tilesWithoutList }) => tilesWithoutList === 0) ? 0 : 1;
  } finally {
    gpu.destroy();
  }
}

const lineOf = ({ points, radiusPx, pairs, variant, emptyUs, medianUs, p10Us, p90Us }: SplatRow) =>
  `${String(points).padStart(8)} points, ${radiusPx.toFixed(1).padStart(4)} px, ${String(pairs).padStart(9)} pairs, ${variant}: ${medianUs.toFixed(1)} µs (${p10Us.toFixed(1)} to ${p90Us.toFixed(1)}), ${((medianUs * 1e3) / pairs).toFixed(3)} ns a pair, an empty pass ${emptyUs.toFixed(2)} µs`;

async function measure(
  gpu: Gpu,
  frame: DepthFrame,
  radius: number,
  variants: readonly Overrides[],
  trials: number,
  pace: Pace,
): Promise<SplatRow[]> {
  const stage = dofSplat();
  const { fNumber, radiusPx } = blurTo(stage, frame, radius);
  const rig = await openWorkbench(gpu, frame, [compact()], [stage]);
  const rows: SplatRow[] = [];
  try {
    for (const [i, overrides] of variants.entries()) {
      const candidate = await rig.build(overrides);
      try {
        const timed = await timesOf(candidate, pace, trials, gpu.software ? 1 : ATTEMPTS);
        const picture = candidate.outputs[0]?.picture;
        const [pairs = 0, tilesWithoutList = 0] = picture?.stats ? await readWords(gpu.device, picture.stats) : [];
        rows.push({
          points: frame.depth.data.reduce((sum, z) => sum + (z > 0 ? 1 : 0), 0),
          radiusPx,
          fNumber,
          pairs,
          tilesWithoutList,
          tiles: Math.ceil((picture?.color.width ?? 0) / 16) * Math.ceil((picture?.color.height ?? 0) / 16),
          variant: i === 0 ? "default" : "tuned",
          ...timed,
        });
      } finally {
        candidate.destroy();
      }
    }
    return rows;
  } finally {
    rig.destroy();
  }
}

/** The shortest time of an empty pass so far: its time at the device's full clock rate. */
interface Pace {
  leastUs: number;
}

/** Times at the device's full clock rate or, after all attempts, those that came nearest. */
async function timesOf(candidate: Candidate, pace: Pace, trials: number, attempts: number) {
  let best: (Spread & Pick<SplatRow, "kernels" | "emptyUs">) | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    await warmUp([candidate]);
    const micros: number[] = [];
    for (let trial = 0; trial < trials; trial++) micros.push(await candidate.time());
    const kernels = await candidate.kernels();
    const emptyUs = kernels.at(-1)?.us ?? 0;
    pace.leastUs = Math.min(pace.leastUs, emptyUs);
    if (!best || emptyUs < best.emptyUs) best = { ...spreadOf(micros), kernels, emptyUs };
    if (best.emptyUs <= SLOW * pace.leastUs) break;
  }
  if (!best) throw new Error("nothing was measured");
  return best;
}
