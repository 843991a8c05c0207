import { image } from "../../core/array.ts";
import type { Rigid } from "../../core/pose.ts";
import { type Mesh, meshOf } from "../../scan/mesh/mesh.ts";
import { cropped } from "../../scan/mesh/tidy.ts";
import { type Fusable, Volume, type VolumeOptions } from "../../scan/volume/volume.ts";
import type { Intrinsics } from "../../sources/index.ts";

export const LENS: Intrinsics = { fx: 160, fy: 160, cx: 79.5, cy: 59.5, width: 160, height: 120 };
/** A red ball in the middle of a hollow green one, in the world. */
export const BALL = { centre: [0.02, -0.01, 1], radius: 0.2 } as const;
export const HOLLOW = 1.3;

export const newVolume = (more: Partial<VolumeOptions> = {}, isPlain = false): Volume =>
  new Volume(
    {
      ...{ voxelM: 0.01, pixels: LENS.width * LENS.height, hasColour: true, mostBytes: 2 ** 26, farM: 4 },
      ...{ sigma: { a: 1, b: 1 }, ...more },
    },
    isPlain,
  );

/** A camera at `eye` that looks at the ball's centre, upright. */
export function lookingAtBall(eye: readonly number[]): Rigid {
  const unit = (v: number[]) => v.map((x) => x / Math.hypot(...v));
  const cross = (a: number[], b: number[]) =>
    [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
  const z = unit(BALL.centre.map((c, i) => c - eye[i]));
  const x = unit(cross([0, 1, 0], z));
  const y = cross(z, x);
  return Float64Array.from([0, 1, 2].flatMap((i) => [x[i], y[i], z[i], eye[i]]));
}

/** What such a camera sees, exactly: the ball where `hasBall`, and the hollow ball; their colour where the camera sees it. */
export function seen(m: Rigid, hasBall = true, hasColour = (_: number) => true): Fusable {
  const { width, height, fx, fy, cx, cy } = LENS;
  const depth = new Uint16Array(width * height);
  const color = new Uint8Array(4 * width * height);
  for (let i = 0; i < depth.length; i++) {
    const ray = [((i % width) - cx) / fx, (Math.floor(i / width) - cy) / fy, 1];
    const [dx, dy, dz] = [0, 4, 8].map((row) => m[row] * ray[0] + m[row + 1] * ray[1] + m[row + 2]);
    const [ox, oy, oz] = [m[3], m[7], m[11]].map((o, k) => o - BALL.centre[k]);
    const [a, b] = [dx * dx + dy * dy + dz * dz, ox * dx + oy * dy + oz * dz];
    const away = ox * ox + oy * oy + oz * oz;
    const root = b * b - a * (away - BALL.radius ** 2);
    const isBall = hasBall && root > 0;
    const t = isBall ? (-b - Math.sqrt(root)) / a : (-b + Math.sqrt(b * b - a * (away - HOLLOW ** 2))) / a;
    depth[i] = Math.round(t / 0.0001);
    if (hasColour(i)) color.set(isBall ? [200, 20, 20, 255] : [20, 160, 60, 255], 4 * i);
  }
  const shape = [height, width];
  return { depth: image(depth, shape), metresPerUnit: 0.0001, intrinsics: LENS, color: image(color, [...shape, 4]) };
}

/** Fourteen places around the ball: corners and sides of a cube. */
export const AROUND: readonly Rigid[] = [-1, 0, 1].flatMap((x) =>
  [-1, 0.02, 1].flatMap((y) =>
    [-1, 0, 1]
      .filter((z) => (Math.abs(x) + Math.abs(Math.round(y)) + Math.abs(z)) % 2 === 1 && Math.abs(x) + Math.abs(z) > 0)
      .map((z) => lookingAtBall([x, y, z].map((way, i) => BALL.centre[i] + (0.8 * way) / Math.hypot(x, y, z)))),
  ),
);

/** The ball's own mesh, seen from all around. */
export function ballOf(voxelM: number): Mesh {
  const volume = newVolume({ voxelM });
  const frames = AROUND.map((pose) => seen(pose));
  // Each of 16 frames in a row makes the bricks that another sixteenth of the pixels sees.
  for (const [i, pose] of AROUND.entries()) for (let k = 0; k < 16; k++) volume.add(frames[i], pose);
  const [x, y, z] = BALL.centre;
  return cropped(meshOf(volume, 1), [x - 0.3, y - 0.3, z - 0.3, x + 0.3, y + 0.3, z + 0.3]);
}

/** How many triangles have each edge, by their vertices. */
export function edgesOf({ indices }: Pick<Mesh, "indices">): Map<string, number> {
  const edges = new Map<string, number>();
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i], indices[i % 3 === 2 ? i - 2 : i + 1]];
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    edges.set(key, (edges.get(key) ?? 0) + 1);
  }
  return edges;
}
