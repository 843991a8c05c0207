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

  const distanceAt = ({ data }: DepthArray, x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : data[y * width + x] * metresPerUnit;

  const place = (into: Vector, x: number, y: number, z: number) => {
    into[0] = ((x - cx) / fx) * z;
    into[1] = ((y - cy) / fy) * z;
    into[2] = z;
  };

  const beside = (into: Vector, depth: DepthArray, x: number, y: number, dx: number, dy: number, z: number) => {
    const there = distanceAt(depth, x + dx, y + dy);
    if (there === 0 || Math.abs(there - z) > JUMP * z) place(into, x, y, z);
    else place(into, x + dx, y + dy, there);
  };

  const [right, left, below, above]: Vector[] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const normal: Vector = [0, 0, 0];
  const normalAt = (depth: DepthArray, x: number, y: number, z: number) => {
    const reach = parameters.reachPx;
    beside(right, depth, x, y, reach, 0, z);
    beside(left, depth, x, y, -reach, 0, z);
    beside(below, depth, x, y, 0, reach, z);
    beside(above, depth, x, y, 0, -reach, z);
    const [ax, ay, az] = [right[0] - left[0], right[1] - left[1], right[2] - left[2]];
    const [dx, dy, dz] = [below[0] - above[0], below[1] - above[1], below[2] - above[2]];
    normal[0] = dy * az - dz * ay;
    normal[1] = dz * ax - dx * az;
    normal[2] = dx * ay - dy * ax;
    const length = Math.hypot(...normal);
    for (let i = 0; i < 3; i++) normal[i] = length > 0 ? normal[i] / length : 0;
  };

  const paint = (depth: DepthArray, x: number, y: number): number => {
    const { by, nearM, farM } = parameters;
    const z = distanceAt(depth, x, y);
    if (z === 0) return 0;
    const far = Math.min(1, Math.max(0, Math.log(z / nearM) / Math.max(Math.log(farM / nearM), 1e-3)));
    if (by === "depth") return turbo(0.95 - 0.9 * far);
    normalAt(depth, x, y, z);
    if (by === "normal") return pack(normal[0] / 2 + 0.5, 0.5 - normal[1] / 2, 0.5 - normal[2] / 2);
    place(right, x, y, z);
    const along = normal[0] * right[0] + normal[1] * right[1] + normal[2] * right[2];
    const light = (0.12 + 0.88 * Math.max(0, -along / Math.hypot(...right))) * (1 - 0.55 * far);
    return pack(0.96 * light, 0.91 * light, 0.85 * light);
  };

  return {
    run(frame) {
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) words[y * width + x] = paint(frame.depth, x, y);
      }
      frame.color = color;
    },
  };
}

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
