import { type DepthArray, type FrameShape, image } from "../../sources/frame.ts";
import type { Twin } from "../stage.ts";

const JUMP = 0.0403;

interface Parameters {
  readonly by: "depth" | "normal" | "clay";
  readonly nearM: number;
  readonly farM: number;
  readonly reachPx: number;
}

type Vector = [x: number, y: number, z: number];

/** shaders/paint.wgsl on the CPU: there is the method. Makes `color`, shape `[height, width, 4]`. */
export function paintTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: Parameters): Twin {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const color = image(new Uint8Array(width * height * 4), [height, width, 4]);
  const words = new Uint32Array(color.data.buffer);

  // The pixels' directions, 1 along the optical axis.
  const rayX = Float64Array.from({ length: width }, (_, x) => (x - cx) / fx);
  const rayY = Float64Array.from({ length: height }, (_, y) => (y - cy) / fy);

  /** The neighbour's distance, 0 where it is of another surface or there is none. */
  const beside = (value: number, z: number) => {
    const there = value * metresPerUnit;
    return value === 0 || Math.abs(there - z) > JUMP * z ? 0 : there;
  };

  const normal: Vector = [0, 0, 0];
  const normalAt = ({ data }: DepthArray, x: number, y: number, z: number, reach: number) => {
    const at = y * width + x;
    const right = x + reach < width ? beside(data[at + reach], z) : 0;
    const left = x >= reach ? beside(data[at - reach], z) : 0;
    const below = y + reach < height ? beside(data[at + reach * width], z) : 0;
    const above = y >= reach ? beside(data[at - reach * width], z) : 0;
    // Where a neighbour does not tell, the pixel's own place stands for it.
    const [zr, zl, zb, za] = [right || z, left || z, below || z, above || z];
    const ax = rayX[right ? x + reach : x] * zr - rayX[left ? x - reach : x] * zl;
    const ay = rayY[y] * (zr - zl);
    const dx = rayX[x] * (zb - za);
    const dy = rayY[below ? y + reach : y] * zb - rayY[above ? y - reach : y] * za;
    normal[0] = dy * (zr - zl) - (zb - za) * ay;
    normal[1] = (zb - za) * ax - dx * (zr - zl);
    normal[2] = dx * ay - dy * ax;
    const length2 = dot(normal, normal);
    const scale = length2 > 0 ? 1 / Math.sqrt(length2) : 0;
    normal[0] *= scale;
    normal[1] *= scale;
    normal[2] *= scale;
  };

  // How far each depth is between nearM and farM, and its colour: worked out for each pixel, they would cost most.
  const far = new Float64Array(65536);
  const colors = new Uint32Array(65536);
  const range = { nearM: Number.NaN, farM: Number.NaN };
  const lookUp = ({ nearM, farM }: Parameters) => {
    if (range.nearM === nearM && range.farM === farM) return;
    Object.assign(range, { nearM, farM });
    const span = Math.max(Math.log(farM / nearM), 1e-3);
    for (let value = 1; value < far.length; value++) {
      far[value] = Math.min(1, Math.max(0, Math.log((value * metresPerUnit) / nearM) / span));
      colors[value] = turbo(0.95 - 0.9 * far[value]);
    }
  };

  const ray: Vector = [0, 0, 1];
  const paint = (depth: DepthArray, x: number, y: number, { by, reachPx }: Parameters): number => {
    const value = depth.data[y * width + x];
    if (value === 0) return 0;
    if (by === "depth") return colors[value];
    const z = value * metresPerUnit;
    normalAt(depth, x, y, z, reachPx);
    if (by === "normal") return pack(normal[0] / 2 + 0.5, 0.5 - normal[1] / 2, 0.5 - normal[2] / 2);
    ray[0] = rayX[x];
    ray[1] = rayY[y];
    const facing = Math.max(0, -dot(normal, ray) / Math.sqrt(dot(ray, ray)));
    const light = (0.12 + 0.88 * facing) * (1 - 0.55 * far[value]);
    return pack(0.96 * light, 0.91 * light, 0.85 * light);
  };

  return {
    run(frame) {
      lookUp(parameters);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) words[y * width + x] = paint(frame.depth, x, y, parameters);
      }
      frame.color = color;
    },
  };
}

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** The colour map, from 0 (violet) to 1 (red), as a colour word: shaders/paint.wgsl says whose it is. */
export function turbo(t: number): number {
  const [t2, t3, t4, t5] = [t ** 2, t ** 3, t ** 4, t ** 5];
  return pack(
    0.13572138 + 4.6153926 * t - 42.66032258 * t2 + 132.13108234 * t3 - 152.94239396 * t4 + 59.28637943 * t5,
    0.09140261 + 2.19418839 * t + 4.84296658 * t2 - 14.18503333 * t3 + 4.27729857 * t4 + 2.82956604 * t5,
    0.1066733 + 12.64194608 * t - 60.58204836 * t2 + 110.36276771 * t3 - 89.90310912 * t4 + 27.34824973 * t5,
  );
}

function pack(r: number, g: number, b: number): number {
  const byte = (c: number) => Math.floor(Math.min(1, Math.max(0, c)) * 255 + 0.5);
  return (byte(r) | (byte(g) << 8) | (byte(b) << 16) | 0xff000000) >>> 0;
}
