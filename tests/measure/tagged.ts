import library from "js-aruco2";
import { type ColorArray, type Intrinsics, image } from "../../core/frame.ts";
import type { Frame } from "../../core/geometry.ts";
import { cast, paint } from "../../sources/synthetic/render.ts";
import { SCENES } from "../../sources/synthetic/scenes/index.ts";
import { type Solid, solid } from "../../sources/synthetic/scenes/scene.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import "js-aruco2/src/dictionaries/apriltag_36h11.js";
import { randomBy } from "../../measure/propose.ts";

// Printed tags in rooms, and pictures of them.

const { dictionary } = new library.AR.Detector({ dictionaryName: "APRILTAG_36h11", maxHammingDistance: 1 });

/** A sheet with a tag of the family tag36h11, whose black square is `size` m wide, with one white cell around; it faces along its -z. */
export function tagSolid(id: number, size: number, frame: Frame): Solid {
  const code = dictionary.codeList[id];
  const half = (size * 10) / 16;
  return solid(`tag ${id}`, box([-half, -half, 0], [half, half, 0.0002]), frame, (hit) => {
    const [u, v] = [hit.x, hit.y].map((at) => Math.floor(((at + half) / size) * 8));
    const [i, j] = [u - 2, v - 2];
    const isWhite = u < 1 || v < 1 || u > 8 || v > 8 || (i >= 0 && j >= 0 && i < 6 && j < 6 && code[6 * j + i] === "1");
    hit.r = hit.g = hit.b = isWhite ? 0.85 : 0.04;
  });
}

export interface Shot {
  readonly lens: Intrinsics;
  /** Standard deviations of the lens' blur, px, and of the noise, levels. */
  readonly blur?: number;
  readonly noise?: number;
  /** The light, as a multiple of the usual light. */
  readonly exposure?: number;
  readonly seed?: number;
}

const toLight = Float32Array.from({ length: 256 }, (_, v) =>
  v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
);
const toScreen = (x: number) => 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
/** A pixel is the mean of this many by this many rays. */
const FINE = 4;

/** Takes pictures of solids: what the lens blurs, several times with noise. */
export function pictures(camera: Frame, solids: readonly Solid[], count: number, shot: Shot): ColorArray[] {
  const { lens, blur = 0.6, noise = 2, exposure = 1, seed = 1 } = shot;
  const [width, height] = [FINE * lens.width, FINE * lens.height];
  const at = (c: number) => FINE * (c + 0.5) - 0.5;
  const intrinsics = {
    ...lens,
    width,
    height,
    fx: FINE * lens.fx,
    fy: FINE * lens.fy,
    cx: at(lens.cx),
    cy: at(lens.cy),
  };
  const layer = { width, metres: new Float32Array(width * height).fill(Infinity), ids: new Uint8Array(width * height) };
  const view = { camera, intrinsics };
  const casts = cast(solids, 0, view, layer);
  const { bounce, ambient, lamps } = SCENES.room.lighting;
  const by = ([r, g, b]: readonly [number, number, number]) => [r * exposure, g * exposure, b * exposure] as const;
  const rgba = new Uint8Array(4 * width * height);
  const lit = lamps.map((lamp) => ({ ...lamp, power: by(lamp.power) }));
  paint(casts, new Map(), { bounce, ambient: by(ambient), lamps: lit }, view, layer, rgba);
  let light = new Float32Array(3 * lens.width * lens.height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++)
        light[3 * (Math.floor(y / FINE) * lens.width + Math.floor(x / FINE)) + c] +=
          toLight[rgba[4 * (y * width + x) + c]] / FINE ** 2;
  for (const [step, size] of [
    [3, lens.width],
    [3 * lens.width, lens.height],
  ] as const)
    light = blurred(light, step, size, blur);
  const random = randomBy(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => {
    const data = new Uint8Array(4 * lens.width * lens.height).fill(255);
    for (let i = 0; i < light.length; i++)
      data[4 * Math.floor(i / 3) + (i % 3)] = Math.max(
        0,
        Math.min(255, Math.round(toScreen(light[i]) + noise * normal())),
      );
    return image(data, [lens.height, lens.width, 4]);
  });
}

function blurred(
  light: Float32Array<ArrayBuffer>,
  step: number,
  size: number,
  sigma: number,
): Float32Array<ArrayBuffer> {
  const reach = Math.ceil(4 * sigma);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-((k - reach) ** 2) / (2 * sigma * sigma)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return light.map((_, i) => {
    const at = Math.floor(i / step) % size;
    let sum = 0;
    for (let k = -reach; k <= reach; k++)
      sum += weights[k + reach] * light[i + step * (Math.min(size - 1, Math.max(0, at + k)) - at)];
    return sum / all;
  });
}

/** The grey levels of a picture. */
export const greyOf = ({ data }: ColorArray) =>
  Float32Array.from(
    { length: data.length / 4 },
    (_, i) => 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2],
  );
