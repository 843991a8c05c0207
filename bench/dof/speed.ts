import type { Gpu } from "../../pipeline/device/gpu.ts";
import { overridesFor, profilesFor } from "../../pipeline/tune/profile.ts";
import { warmUp } from "../../pipeline/tune/search.ts";
import { openWorkbench } from "../../pipeline/tune/workbench.ts";
import type { DepthFrame } from "../../sources/core/frame.ts";
import { textOf } from "../../stages/core/tuning.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { filledFrame } from "../frames.ts";
import { blurTo } from "../radius.ts";
import { type Size, type Spread, spreadOf } from "../types.ts";
import type { Rgbd } from "./bound.ts";
import { lensesFor, openPeer } from "./peer.ts";

const PICTURE: Size = { width: 1280, height: 720 };
/** A sensor's frame, and a frame with a point for each pixel of the picture, which is the peer's input. */
const FRAMES: readonly Size[] = [{ width: 640, height: 480 }, PICTURE];
/** The mean radii of the circle of confusion, px. */
const RADII = [0, 4, 10];
const TRIALS = 15;

/** The times of dofSplat and of Three.js' node on one device, measured by turns: µs by the GPU's clock for a picture of the same size. */
export interface SpeedRow {
  readonly points: number;
  readonly radiusPx: number;
  /** The tuned values that differ from the defaults; empty where nothing was tuned. */
  readonly tuned: string;
  readonly ours: Spread;
  /** The sum of its render passes, without what the queue does between them. */
  readonly peer: Spread;
  /** The median over the turns of our time divided by the peer's. */
  readonly ratio: number;
}

/**
 * Measures with the variant that a pipeline would use: the one tuned on this device, else the default. `quick` measures one row, and so
 * does a software GPU, which takes seconds for a picture.
 */
export async function speedBeside(gpu: Gpu, quick: boolean, log: (line: string) => void): Promise<SpeedRow[]> {
  const few = quick || gpu.software;
  const image = imageOf(await filledFrame(PICTURE));
  const rows: SpeedRow[] = [];
  for (const size of few ? FRAMES.slice(0, 1) : FRAMES) {
    const frame = await filledFrame(size);
    for (const radius of few ? [4] : RADII) {
      const row = await measure(gpu, frame, image, radius, few ? 3 : TRIALS);
      rows.push(row);
      log(lineOf(row));
    }
  }
  return rows;
}

export const lineOf = ({ points, radiusPx, tuned, ours, peer, ratio }: SpeedRow) =>
  `${points} points, ${radiusPx.toFixed(1)} px${tuned && ", tuned"}: ${spread(ours)}, the peer ${spread(peer)}, ${ratio.toFixed(2)}×`;

const spread = ({ medianUs, p10Us, p90Us }: Spread) =>
  `${medianUs.toFixed(0)} µs (${p10Us.toFixed(0)} – ${p90Us.toFixed(0)})`;

async function measure(gpu: Gpu, frame: DepthFrame, image: Rgbd, radius: number, trials: number): Promise<SpeedRow> {
  const stage = dofSplat({ ...PICTURE });
  const { camera: lens, radiusPx } = blurTo(stage, frame, radius);
  const shot = { image, view: { focusM: Number(stage.parameters.focusM) }, lens };
  const rig = await openWorkbench(gpu, frame, [compact()], [stage]);
  const peer = await openPeer(gpu.device, PICTURE.width, PICTURE.height);
  try {
    const tuned = overridesFor(stage, gpu, await profilesFor(gpu));
    const ours = await rig.build(tuned);
    try {
      const [fitted = { focalLength: 1, bokehScale: 0 }] = lensesFor(shot);
      await peer.draw(shot, fitted);
      await warmUp([ours, peer]);
      const pairs: (readonly [number, number])[] = [];
      for (let trial = 0; trial < trials; trial++) pairs.push([await ours.time(), await peer.time()]);
      return {
        points: frame.depth.data.reduce((sum, z) => sum + (z > 0 ? 1 : 0), 0),
        radiusPx,
        tuned: textOf(tuned),
        ours: spreadOf(pairs.map(([us]) => us)),
        peer: spreadOf(pairs.map(([, us]) => us)),
        ratio: spreadOf(pairs.map(([us, theirs]) => us / theirs)).medianUs,
      };
    } finally {
      ours.destroy();
    }
  } finally {
    peer.destroy();
    rig.destroy();
  }
}

/** Grey by distance: colours do not change any cost. */
function imageOf({ depth: { data }, intrinsics: { width, height }, metresPerUnit }: DepthFrame): Rgbd {
  const metres = Float32Array.from(data, (units) => units * metresPerUnit);
  const rgba = new Uint8Array(data.length * 4).map((_, i) => (i % 4 === 3 ? 255 : (data[i >> 2] ?? 0) >> 5));
  return { width, height, rgba, metres };
}
