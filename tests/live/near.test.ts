import { expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { image } from "../../sources/index.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { splatReachPx } from "../../viewer/live/view/camera/splatReach.ts";

// Seen from very near, each depth pixel is a large patch, and noise tilts the patches: the surface must still have no gaps.

const WIDTH = 320;
const HEIGHT = 240;
const FOCAL = 262.5;
const WALL_M = 1.5;
const VIEW = { width: 1280, height: 720, verticalFovDeg: 49 };
const focalPx = VIEW.height / 2 / Math.tan((VIEW.verticalFovDeg * Math.PI) / 360);
const intrinsics = { fx: FOCAL, fy: FOCAL, cx: 159.5, cy: 119.5, width: WIDTH, height: HEIGHT };

/** The dark share of the picture of a light wall, seen from `nearM` with splats that reach up to `maxReachPx`. */
async function darkFrom(nearM: number, maxReachPx: number): Promise<number> {
  const pose = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, nearM - WALL_M, 1];
  const pipeline = await createPipeline({
    stages: [compact(), dofSplat({ ...VIEW, fNumber: 0, maxReachPx, pose })],
    backend: "cpu",
  });
  let state = 7;
  const drawn = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  };
  // 2 mm of noise, in fifths of a millimetre.
  const depth = Uint16Array.from(
    { length: WIDTH * HEIGHT },
    () => 7500 + Math.round(10 * (drawn() + drawn() + drawn()) * 2),
  );
  const color = new Uint8Array(4 * WIDTH * HEIGHT).fill(200);
  const frame = await pipeline.run({
    depth: image(depth, [HEIGHT, WIDTH]),
    color: image(color, [HEIGHT, WIDTH, 4]),
    ...{ metresPerUnit: 0.0002, intrinsics, timestamp: 0, index: 0 },
  });
  const rgba = frame.cpu?.picture?.rgba ?? new Uint8ClampedArray();
  let dark = 0;
  for (let i = 0; i < rgba.length; i += 4) if ((rgba[i] ?? 0) < 190) dark++;
  await pipeline.destroy();
  return dark / (rgba.length / 4);
}

test.each([0.6, 0.3, 0.15])("a rough wall seen from %d m has no gaps with the reach of splatReachPx", async (nearM) => {
  const patchPx = (WALL_M / FOCAL / nearM) * focalPx;
  expect(await darkFrom(nearM, splatReachPx(patchPx, 32))).toBeLessThan(1e-4);
});
