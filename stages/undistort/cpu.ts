import { LensModel, type PlanePoint } from "../../core/calibration/lens.ts";
import { type ColorArray, type DepthArray, type FrameShape, type Intrinsics, image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { wordsOf } from "../core/words.ts";

/** Places are in 1/256 of a pixel. OUTSIDE marks a place outside the distorted image. */
const PARTS_BITS = 8;
const PARTS = 256;
const HALF = 128;
export const OUTSIDE = 0xffffffff;

/** The shape of the same camera without distortion. */
export function straightShape(shape: FrameShape): FrameShape {
  const { distortion: _, distortionModel: __, ...intrinsics } = shape.intrinsics;
  return { ...shape, intrinsics };
}

/**
 * For each pixel of the undistorted image, the place in the distorted image where its ray falls: x, y from the upper left corner, in
 * 1/PARTS of a pixel. Rows have `stride` entries; those past the width are OUTSIDE.
 *
 * A lens's polynomial is valid only within the camera's view. Far outside it turns back and would show the image a second time. So places
 * are followed from the principal point outwards; once they no longer lead outwards, that place and all behind it are OUTSIDE.
 */
export function placesOf(intrinsics: Intrinsics, stride = intrinsics.width): Uint32Array<ArrayBuffer> {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const places = new Uint32Array(2 * stride * height).fill(OUTSIDE);
  const lens = new LensModel(intrinsics);
  const place: PlanePoint = [0, 0];
  const middle = Math.min(width - 1, Math.max(0, Math.round(cx)));
  const followColumn = (first: number, step: number) => {
    let before = -step * Number.POSITIVE_INFINITY;
    for (let v = first; v >= 0 && v < height; v += step) {
      lens.project((middle - cx) / fx, (v - cy) / fy, place);
      if (!((place[1] - before) * step > 0)) return;
      const [x, y] = place;
      before = y;
      put(place, width, height, places, v * stride + middle);
      followRow(v, x, 1);
      followRow(v, x, -1);
    }
  };
  /** Follows row `v` to the right (`step` 1) or left (-1) from the column `middle`, whose pixel lies in the input's column `from`. */
  const followRow = (v: number, from: number, step: number) => {
    let before = from;
    for (let u = middle + step; u >= 0 && u < width; u += step) {
      lens.project((u - cx) / fx, (v - cy) / fy, place);
      if (!((place[0] - before) * step > 0)) return;
      before = place[0];
      put(place, width, height, places, v * stride + u);
    }
  };
  const start = Math.min(height - 1, Math.max(0, Math.round(cy)));
  followColumn(start, 1);
  followColumn(start - 1, -1);
  return places;
}

/** Writes a place to the table's entry `at`, if the distorted image has it. */
function put(place: PlanePoint, width: number, height: number, places: Uint32Array, at: number): void {
  const x = Math.floor((place[0] + 0.5) * PARTS);
  const y = Math.floor((place[1] + 0.5) * PARTS);
  if (x < 0 || y < 0 || x >= width * PARTS || y >= height * PARTS) return;
  places[2 * at] = x;
  places[2 * at + 1] = y;
}

/** The twin of shaders/undistort/, whose comments explain the method. */
export function undistortTwin({ intrinsics }: FrameShape): Twin {
  const { width, height } = intrinsics;
  const places = placesOf(intrinsics);
  const pixels = width * height;
  const depth = image(new Uint16Array(pixels), [height, width]);
  const raw = image(new Uint16Array(pixels), [height, width]);
  const color = image(new Uint8Array(4 * pixels), [height, width, 4]);
  const out = wordsOf(color);
  return {
    run(frame) {
      const { raw: sensor } = frame;
      const same = sensor?.shape[0] === height && sensor.shape[1] === width;
      if (sensor && same) frame.raw = gather(sensor, raw);
      frame.depth = gather(frame.depth, depth);
      if (frame.color) frame.color = mix(frame.color);
    },
  };

  function gather({ data }: DepthArray, straight: DepthArray): DepthArray {
    for (let i = 0; i < pixels; i++) straight.data[i] = pixelAt(data, places[2 * i], places[2 * i + 1]);
    return straight;
  }

  function pixelAt(depth: Uint16Array, placeX: number, placeY: number): number {
    const isOutside = placeX === OUTSIDE;
    return isOutside ? 0 : depth[(placeY >> PARTS_BITS) * width + (placeX >> PARTS_BITS)];
  }

  function mix(bent: ColorArray): ColorArray {
    const words = wordsOf(bent);
    for (let i = 0; i < pixels; i++)
      out[i] = places[2 * i] === OUTSIDE ? 0 : pixelOf(words, places[2 * i], places[2 * i + 1]);
    return color;
  }

  /** Bilinear interpolation of the four pixels around a place, as a signed word. */
  function pixelOf(words: Uint32Array, placeX: number, placeY: number): number {
    const cornerX = placeX - HALF;
    const cornerY = placeY - HALF;
    const partX = cornerX & (PARTS - 1);
    const partY = cornerY & (PARTS - 1);
    let red = 0;
    let green = 0;
    let blue = 0;
    let alpha = 0;
    let total = 0;
    for (let i = 0; i < 4; i++) {
      const stepX = i & 1;
      const stepY = i >> 1;
      const atX = Math.min(Math.max((cornerX >> PARTS_BITS) + stepX, 0), width - 1);
      const atY = Math.min(Math.max((cornerY >> PARTS_BITS) + stepY, 0), height - 1);
      const texel = words[atY * width + atX];
      const near = (stepX === 1 ? partX : PARTS - partX) * (stepY === 1 ? partY : PARTS - partY);
      const weight = texel >>> 24 === 0 ? 0 : near;
      red += weight * (texel & 255);
      green += weight * ((texel >>> 8) & 255);
      blue += weight * ((texel >>> 16) & 255);
      alpha += weight * (texel >>> 24);
      total += weight;
    }
    if (total === 0) return 0;
    return (
      meanOf(red, total) | (meanOf(green, total) << 8) | (meanOf(blue, total) << 16) | (meanOf(alpha, total) << 24)
    );
  }
}

/** A sum over its weights, rounded. Nearly always all four pixels count, which saves a division. */
const meanOf = (sum: number, total: number) =>
  total === PARTS * PARTS ? (sum + total / 2) >> (2 * PARTS_BITS) : Math.floor((2 * sum + total) / (2 * total));
