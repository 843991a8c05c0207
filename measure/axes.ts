import { cross, dot, unit, type Vec3 } from "../core/geometry.ts";
import type { PlaneFit } from "./plane.ts";
import { type Flat, type Rectangle, turnedBy } from "./rectangle.ts";
import type { Scene } from "./scene.ts";

/** Axes on a plane: `origin` is a point of it, and (right, down) span it. */
export interface Axes {
  readonly origin: Vec3;
  readonly right: Vec3;
  readonly down: Vec3;
}

/** Axes on a plane, the first of which points to the right of the image. */
export function axesOn({ normal, offset }: Pick<PlaneFit, "normal" | "offset">): Axes {
  const away: Vec3 = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const down = unit(cross(away, normal));
  const right = cross(normal, down);
  return { origin: [-normal[0] * offset, -normal[1] * offset, -normal[2] * offset], right, down };
}

export const flatOf = ({ origin, right, down }: Axes, point: Vec3): Flat => {
  const from: Vec3 = [point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]];
  return [dot(from, right), dot(from, down)];
};

export const solidOf = ({ origin, right, down }: Axes, [u, v]: Flat): Vec3 => [
  origin[0] + u * right[0] + v * down[0],
  origin[1] + u * right[1] + v * down[1],
  origin[2] + u * right[2] + v * down[2],
];

/** The corners of a rectangle on a plane, in order around it. */
export function cornersOn(axes: Axes, { angle, low, high }: Rectangle): Vec3[] {
  const around: Flat[] = [low, [high[0], low[1]], high, [low[0], high[1]]];
  return around.map((corner) => solidOf(axes, turnedBy(-angle, corner)));
}

/** Where a pixel's ray meets a plane. */
export const meets = ({ rays }: Scene, { normal, offset }: Pick<PlaneFit, "normal" | "offset">, i: number): Vec3 => {
  const [x, y] = [rays.x[i], rays.y[i]];
  const z = -offset / (normal[0] * x + normal[1] * y + normal[2]);
  return [x * z, y * z, z];
};

/** The area of a plane that a pixel sees, m². */
export function areaOf(scene: Scene, { normal, offset }: Pick<PlaneFit, "normal" | "offset">, i: number): number {
  const { x, y } = scene.rays;
  return (offset ** 2 * wideAt(scene, i)) / Math.abs(normal[0] * x[i] + normal[1] * y[i] + normal[2]) ** 3;
}

/** How large a pixel is on the image plane at a distance of 1 m, m²: as its neighbours' rays lie, which a lens may bend. */
export function wideAt({ width, rays: { x, y }, intrinsics: { fx, fy } }: Scene, i: number): number {
  const u = i % width;
  const [left, right] = [u > 0 ? i - 1 : i, u < width - 1 ? i + 1 : i];
  const [above, below] = [i < width ? i : i - width, i + width < x.length ? i + width : i];
  const turn = (x[right] - x[left]) * (y[below] - y[above]) - (x[below] - x[above]) * (y[right] - y[left]);
  return Math.abs(turn) / ((right - left) * ((below - above) / width)) || 1 / (fx * fy);
}
