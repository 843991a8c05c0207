import { describe, expect, test } from "vitest";
import { singleLayer } from "../../../bench/dof/bound.ts";
import { disparity, lensPoints } from "../../../bench/dof/lens.ts";
import { encode } from "../../../bench/dof/light.ts";
import { psnr, ssim } from "../../../bench/dof/similarity.ts";
import { Exposure } from "../../../bench/dof/truth.ts";
import { room } from "../../../bench/dof/worlds.ts";
import { defaultIntrinsics } from "../../../sources/synthetic/camera.ts";

describe("the traced truth and the single layer", () => {
  test("agree on the blur of a room, the better the more rays they take", () => {
    const intrinsics = defaultIntrinsics(96, 72);
    const exposure = new Exposure(room(), intrinsics);
    const lens = { blur: 6, inverseFocus: 1 / 1.6 };
    expect(disparity(lens, 4)).toBeCloseTo(2.25, 9);
    const sharp = encode(exposure.light({ ...lens, blur: 0 }, lensPoints(16)));
    const metres = exposure.layer().metres;
    const image = { width: 96, height: 72, rgba: new Uint8Array(sharp.rgba), metres };
    const truth = encode(exposure.light(lens, lensPoints(128)));
    const error = (count: number) => psnr(encode(singleLayer(image, lens, lensPoints(count))), truth);
    expect(psnr(sharp, truth)).toBeLessThan(24);
    expect(error(128)).toBeGreaterThan(33);
    expect(error(128)).toBeGreaterThan(error(8));
    expect(ssim(encode(singleLayer(image, lens, lensPoints(128))), truth)).toBeGreaterThan(0.97);
  });
});
