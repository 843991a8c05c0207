import { expect, test } from "vitest";
import type { Rays, Vec3 } from "../../../core/geometry.ts";
import { box, room } from "../../../sources/synthetic/shapes/box.ts";
import { capsule } from "../../../sources/synthetic/shapes/capsule.ts";
import { curtain } from "../../../sources/synthetic/shapes/curtain.ts";
import { ellipsoid } from "../../../sources/synthetic/shapes/ellipsoid.ts";
import { frustum } from "../../../sources/synthetic/shapes/frustum.ts";
import type { Layer, Shape } from "../../../sources/synthetic/shapes/shape.ts";
import { sphere } from "../../../sources/synthetic/shapes/sphere.ts";
import { torus } from "../../../sources/synthetic/shapes/torus.ts";

// Rays cast at each shape are checked with the shape's equation: the hit is the ray's first point on the surface.

/** The t at which the ray meets the shape (Infinity for a miss); `already` is the layer's depth before. */
function cast(shape: Shape, origin: Vec3, base: Vec3, already = Infinity): number {
  const layer: Layer = { width: 1, metres: new Float32Array([already]), ids: new Uint8Array([7]) };
  const rays: Rays = { origin, base, u: [0, 0, 0], v: [0, 0, 0] };
  shape.cast(rays, 0, 0, 1, layer, 9);
  expect(layer.ids[0]).toBe(layer.metres[0] < already ? 9 : 7);
  return layer.metres[0];
}

const cases: [string, Shape, Vec3, Vec3, number][] = [
  ["a sphere, head on", sphere(0.5), [0, 0, -3], [0, 0, 1], 2.5],
  ["a sphere, off centre by 0.3", sphere(0.5), [0.3, 0, -3], [0, 0, 1], 2.6],
  ["a sphere, missed", sphere(0.5), [0.51, 0, -3], [0, 0, 1], Infinity],
  ["a sphere behind", sphere(0.5), [0, 0, 3], [0, 0, 1], Infinity],
  ["a sphere by a ray that is not of unit length", sphere(0.5), [0, 0, -3], [0, 0, 2], 1.25],
  ["a box, its front", box([-1, -1, -1], [1, 1, 1]), [0.2, 0.3, -4], [0, 0, 1], 3],
  ["a box, its side", box([-1, -1, -1], [1, 1, 1]), [-3, 0, -3], [1, 0, 0.8], 2.5],
  ["a box, missed", box([-1, -1, -1], [1, 1, 1]), [-3, 0, -3], [1, 0, 0.3], Infinity],
  ["a room, the wall ahead", room([-2, -2, -2], [2, 2, 5]), [0, 0, 0], [0.1, 0.1, 1], 5],
  ["a room, the floor", room([-2, -2, -2], [2, 1, 5]), [0, 0, 0], [0, 0.5, 1], 2],
  ["a cylinder, its side", frustum(0.2, 0.2, 1), [0, 0.5, -2], [0, 0, 1], 1.8],
  ["a cylinder, its top", frustum(0.2, 0.2, 1), [0.1, -2, 0], [0, 1, 0.001], 2],
  ["a cylinder above its end", frustum(0.2, 0.2, 1), [0, 1.2, -2], [0, 0, 1], Infinity],
  ["an open cylinder, the inside of its far wall", frustum(0.2, 0.2, 1, false), [0, -0.3, -0.4], [0, 1, 1], 0.6],
  ["a cone half way up", frustum(0.4, 0.2, 1), [0, 0.5, -2], [0, 0, 1], 1.7],
  ["a torus, the tube", torus(0.5, 0.1), [0.5, 0, -2], [0, 0, 1], 1.9],
  ["a torus, edge on", torus(0.5, 0.1), [0, -2, 0], [0, 1, 0], 1.4],
  ["a torus, through the hole", torus(0.5, 0.1), [0, 0, -2], [0, 0, 1], Infinity],
  ["an ellipsoid, along each of its axes: x", ellipsoid(0.5, 0.2, 0.1), [-3, 0, 0], [1, 0, 0], 2.5],
  ["an ellipsoid, along y", ellipsoid(0.5, 0.2, 0.1), [0, -3, 0], [0, 1, 0], 2.8],
  ["an ellipsoid, missed", ellipsoid(0.5, 0.2, 0.1), [0, 0.21, -3], [0, 0, 1], Infinity],
  ["a capsule, half way along", capsule(0.2, 0.2, 1), [0, 0.5, -2], [0, 0, 1], 1.8],
  ["a capsule, its far ball", capsule(0.3, 0.1, 1), [0, 3, 0], [0, -1, 0], 1.9],
  ["a capsule, its near ball", capsule(0.3, 0.1, 1), [0, -2, 0], [0, 1, 0], 1.7],
  ["a capsule beside its far ball", capsule(0.3, 0.1, 1), [0.11, 1, -2], [0, 0, 1], Infinity],
  ["a curtain at its rail, between two folds", curtain(1, 2, 0.3), [0.2, 0, -2], [0, 0, 1], 2],
  ["a curtain beside its edge", curtain(1, 2, 0), [1.01, 1, -2], [0, 0, 1], Infinity],
];
test.each(cases)("cast gives the known distance: %s", (_name, shape, origin, direction, distance) => {
  const t = cast(shape, origin, direction);
  if (distance === Infinity) expect(t).toBe(Infinity);
  else expect(t).toBeCloseTo(distance, 5);
});
