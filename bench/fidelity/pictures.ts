import { encode } from "fast-png";
import { type Intrinsics, image } from "../../sources/core/frame.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { paint } from "../../stages/paint/index.ts";
import type { Rgba } from "../dof/light.ts";
import type { Depth } from "./image.ts";

/** A unit finer than any output's, so that pictures show the surface and not the file's unit. */
const MM_PER_STEP = 0.25;

/** Draws the surface as lit clay. `reference` gives the depths by which light falls off; pictures side by side share it. */
export function clay({ width, height, mm }: Depth, intrinsics: Intrinsics, reference: Depth): Rgba {
  const seen = Float64Array.from(reference.mm.filter((z) => z > 0)).sort();
  const at = (share: number) => Math.max(0.01, (seen[Math.floor(share * (seen.length - 1))] ?? 1000) / 1000);
  const units = Uint16Array.from(mm, (z) => Math.min(65535, Math.round(z / MM_PER_STEP)));
  const frame: CpuFrame = {
    depth: image(units, [height, width]),
    ...{ color: undefined, points: undefined, picture: undefined },
  };
  const stage = paint({ by: "clay", nearM: at(0.01), farM: Math.max(at(0.99), at(0.01) + 0.5), reachPx: 1 });
  stage.twin({ intrinsics: { ...intrinsics, width, height }, metresPerUnit: MM_PER_STEP / 1000 }).run(frame, AGAIN);
  const rgba = new Uint8ClampedArray(frame.color?.data ?? []);
  for (let i = 3; i < rgba.length; i += 4) rgba[i] = 255;
  return { width, height, rgba };
}

/** Encodes pictures side by side as a grey PNG; clay has no colour. */
export function strip(pictures: readonly Rgba[]): Uint8Array {
  const [width, height] = [pictures.reduce((sum, one) => sum + one.width, 0), pictures[0]?.height ?? 0];
  const data = new Uint8Array(width * height);
  let left = 0;
  for (const one of pictures) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < one.width; x++) data[y * width + left + x] = one.rgba[4 * (y * one.width + x) + 1];
    }
    left += one.width;
  }
  return encode({ width, height, data, channels: 1, depth: 8 });
}

/** Draws errors up to `most` mm: red is too far, blue too near, white correct, grey invalid. */
export function offBy({ width, height, mm }: Depth, truth: Depth, most: number): Rgba {
  const rgba = new Uint8ClampedArray(4 * mm.length);
  for (let i = 0; i < mm.length; i++) {
    const off = Math.max(-1, Math.min(1, (mm[i] - truth.mm[i]) / most));
    const [r, g, b] = [off < 0 ? 1 + off : 1, 1 - Math.abs(off), off > 0 ? 1 - off : 1];
    rgba.set(mm[i] > 0 && truth.mm[i] > 0 ? [255 * r, 255 * g, 255 * b, 255] : [110, 110, 110, 255], 4 * i);
  }
  return { width, height, rgba };
}
