import type { Vec3 } from "../../core/geometry.ts";
import { type Rgb, rgb } from "./materials.ts";

/** A point on a surface in the world, its unit normal, and the light that falls on it. One object serves every pixel. */
export interface Spot {
  x: number;
  y: number;
  z: number;
  nx: number;
  ny: number;
  nz: number;
  r: number;
  g: number;
  b: number;
}

export const newSpot = (): Spot => ({ x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0, r: 0, g: 0, b: 0 });

/**
 * A lamp, divided into points for soft shadows, which share its power. `facing` is the direction that it shines in; a bulb shines in all.
 */
export interface Lamp {
  readonly centre: Vec3;
  readonly points: readonly Vec3[];
  readonly power: Rgb;
  readonly facing?: Vec3;
}

const across = (n: number, place: (a: number, b: number) => Vec3): Vec3[] =>
  Array.from({ length: n * n }, (_, i) => place(((i % n) + 0.5) / n - 0.5, (Math.floor(i / n) + 0.5) / n - 0.5));

/** The lamps and the other light of a scene. */
export interface Lighting {
  readonly lamps: readonly Lamp[];
  /** The surface overhead that reflects light. It stands for all indirect light, and darkens what lies under things. */
  readonly bounce: Lamp;
  readonly ambient: Rgb;
}

/** A lamp of n × n points, flat on a ceiling or on the wall ahead: the height or the depth in `size` is 0. */
export function lamp(n: number, hex: string, watts: number, centre: Vec3, size: Vec3, facing?: Vec3): Lamp {
  const [r, g, b] = rgb(hex);
  const [x, y, z] = centre;
  const points = across(n, (p, q) => [x + p * size[0], y + q * size[1], z + q * size[2]]);
  const bright: Rgb = [r * watts, g * watts, b * watts];
  return { centre, points, power: bright, ...(facing && { facing }) };
}

/** The share of a lamp's power that reaches a spot from one of its points, divided by the squared distance. */
export function reach(spot: Spot, point: Vec3, facing: Vec3 | undefined): number {
  const dx = point[0] - spot.x;
  const dy = point[1] - spot.y;
  const dz = point[2] - spot.z;
  const square = Math.max(dx * dx + dy * dy + dz * dz, 0.01);
  const received = spot.nx * dx + spot.ny * dy + spot.nz * dz;
  if (received <= 0) return 0;
  const sent = facing ? -(facing[0] * dx + facing[1] * dy + facing[2] * dz) : Math.sqrt(square);
  return sent <= 0 ? 0 : (received * sent) / (square * square);
}

export function add(spot: Spot, { power }: Lamp, share: number): void {
  spot.r += power[0] * share;
  spot.g += power[1] * share;
  spot.b += power[2] * share;
}

/**
 * Light without shadows, from the middle of each lamp, for round and moving solids. Indirect light comes from above and is weaker near the
 * floor.
 */
export function light(spot: Spot, { lamps, ambient }: Lighting): void {
  const open = Math.min(1, 0.45 - spot.y * 0.9);
  const bounce = 0.36 * (0.6 - 0.4 * spot.ny) * open;
  spot.r = ambient[0] + bounce;
  spot.g = ambient[1] + bounce;
  spot.b = ambient[2] + bounce;
  for (const each of lamps) add(spot, each, reach(spot, each.centre, each.facing));
}

/** The lamps' mirror images on a smooth surface (Blinn 1977), seen from `eye`: a sum over the lamps, each 1 in its middle. */
export function highlight(spot: Spot, eye: Vec3, { lamps }: Lighting): number {
  let sum = 0;
  for (const { centre } of lamps) {
    const lx = centre[0] - spot.x;
    const ly = centre[1] - spot.y;
    const lz = centre[2] - spot.z;
    const vx = eye[0] - spot.x;
    const vy = eye[1] - spot.y;
    const vz = eye[2] - spot.z;
    const l = 1 / Math.sqrt(lx * lx + ly * ly + lz * lz);
    const v = 1 / Math.sqrt(vx * vx + vy * vy + vz * vz);
    const hx = lx * l + vx * v;
    const hy = ly * l + vy * v;
    const hz = lz * l + vz * v;
    const cosine = (spot.nx * hx + spot.ny * hy + spot.nz * hz) / Math.sqrt(hx * hx + hy * hy + hz * hz);
    // cosine⁶⁴ by squaring.
    let power = cosine > 0 ? cosine * cosine : 0;
    for (let i = 0; i < 5; i++) power *= power;
    sum += power;
  }
  return sum;
}
