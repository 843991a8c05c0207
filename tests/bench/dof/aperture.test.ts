import { expect, test } from "vitest";
import { singleLayer } from "../../../bench/dof/bound.ts";
import { lensPoints } from "../../../bench/dof/lens.ts";
import { encode } from "../../../bench/dof/light.ts";
import { drawByTwins } from "../../../bench/dof/ours.ts";
import { similarity } from "../../../bench/dof/quality.ts";
import { sensor, shotOf } from "../../../bench/dof/shot.ts";
import { Exposure } from "../../../bench/dof/truth.ts";
import { WORLDS } from "../../../bench/dof/views.ts";
import { dofSplat } from "../../../stages/index.ts";

/** Points of a pentagon in the lens, with a corner at y = −1, or at y = 1 when upside down. */
function pentagon(count: number, up: 1 | -1) {
  const edges = [1, 3, 5, 7, 9].map((i) => [Math.sin((i * Math.PI) / 5), -Math.cos((i * Math.PI) / 5)] as const);
  const inside = (x: number, y: number) => edges.every(([a, b]) => a * x + b * up * y <= Math.cos(Math.PI / 5));
  return lensPoints(count).filter(({ x, y }) => inside(x, y));
}

test("dofSplat with five blades draws a pentagon's blur, the right way up before and behind the focus", () => {
  const exposure = new Exposure(WORLDS.lamps(), sensor(160));
  const shot = shotOf({ name: "", world: "lamps", focusM: 1.7, fNumber: 0.05 }, exposure);
  const { width, height } = exposure.intrinsics;
  const drawn = (blades: number) =>
    drawByTwins({ ...shot, stage: dofSplat({ width, height, focusM: 1.7, fNumber: 0.05, blades }) });
  const [five, round] = [drawn(5), drawn(0)];
  const upright = encode(singleLayer(shot.image, shot.lens, pentagon(1400, 1)));
  const inverted = encode(singleLayer(shot.image, shot.lens, pentagon(1400, -1)));
  const psnr = (one: typeof upright, other: typeof five) => similarity(one, other).psnr;
  expect(psnr(upright, five)).toBeGreaterThan(38);
  expect(psnr(upright, five)).toBeGreaterThan(psnr(inverted, five) + 1);
  expect(psnr(upright, five)).toBeGreaterThan(psnr(upright, round) + 1);
});
