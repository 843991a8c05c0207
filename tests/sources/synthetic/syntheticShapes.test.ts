import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Rays, Vec3 } from "../../../sources/synthetic/geometry.ts";
import { box, room } from "../../../sources/synthetic/shapes/box.ts";
import { capsule } from "../../../sources/synthetic/shapes/capsule.ts";
import { curtain } from "../../../sources/synthetic/shapes/curtain.ts";
import { ellipsoid } from "../../../sources/synthetic/shapes/ellipsoid.ts";
import { frustum } from "../../../sources/synthetic/shapes/frustum.ts";
import { type Layer, newHit, type Shape } from "../../../sources/synthetic/shapes/shape.ts";
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

const along = (o: Vec3, d: Vec3, t: number): Vec3 => [o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]];

describe("cast", () => {
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
  test.each(cases)("gives the known distance: %s", (_name, shape, origin, direction, distance) => {
    const t = cast(shape, origin, direction);
    if (distance === Infinity) expect(t).toBe(Infinity);
    else expect(t).toBeCloseTo(distance, 5);
  });
});

/** A function with the sign and the zeros of the signed distance: below 0 inside. */
type Inside = (p: Vec3) => number;
const solids: [string, Shape, Inside][] = [
  ["sphere", sphere(0.6), (p) => Math.hypot(...p) - 0.6],
  [
    "box",
    box([-0.5, -0.3, -0.4], [0.5, 0.3, 0.4]),
    ([x, y, z]) => Math.max(Math.abs(x) - 0.5, Math.abs(y) - 0.3, Math.abs(z) - 0.4),
  ],
  ["torus", torus(0.5, 0.15), ([x, y, z]) => Math.hypot(Math.hypot(x, y) - 0.5, z) - 0.15],
  ["ellipsoid", ellipsoid(0.5, 0.3, 0.2), ([x, y, z]) => 0.5 * (Math.hypot(x / 0.5, y / 0.3, z / 0.2) - 1)],
  // The union of balls along the axis, whose radius changes linearly from end to end.
  [
    "capsule",
    capsule(0.35, 0.15, 0.6),
    ([x, y, z]) => {
      const across = Math.hypot(x, z);
      const shift = (across * 0.2) / Math.sqrt(0.6 ** 2 - 0.2 ** 2);
      const at = Math.min(0.6, Math.max(0, y - shift));
      return Math.hypot(across, y - at) - (0.35 - (0.2 * at) / 0.6);
    },
  ],
  ["frustum", frustum(0.5, 0.2, 0.7), ([x, y, z]) => Math.max(Math.hypot(x, z) - (0.5 - (0.3 / 0.7) * y), -y, y - 0.7)],
];
const aim = fc.tuple(fc.double({ min: -0.6, max: 0.6, noNaN: true }), fc.double({ min: -0.6, max: 0.6, noNaN: true }));
const angle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });

describe("a ray from anywhere", () => {
  test.each(solids)(
    "hits a %s at its first crossing of the surface, with the surface's normal",
    (_name, shape, inside) => {
      fc.assert(
        fc.property(angle, fc.double({ min: -1.4, max: 1.4, noNaN: true }), aim, (turn, rise, [dx, dy]) => {
          const from: Vec3 = [
            2 * Math.cos(turn) * Math.cos(rise),
            2 * Math.sin(rise),
            2 * Math.sin(turn) * Math.cos(rise),
          ];
          const towards: Vec3 = [dx - from[0], dy - from[1], dx * dy - from[2]];
          const t = cast(shape, from, towards);
          // Before the hit (or on the whole ray, for a miss) the ray is outside, but for a graze of less than 0.1 mm.
          const end = t === Infinity ? 2 : t;
          let deepest = Infinity;
          for (let i = 1; i < 400; i++) deepest = Math.min(deepest, inside(along(from, towards, (end * i) / 400)));
          expect(deepest).toBeGreaterThan(-1e-4);
          if (t === Infinity) return;
          const hit = newHit();
          [hit.x, hit.y, hit.z] = along(from, towards, t);
          expect(Math.abs(inside([hit.x, hit.y, hit.z]))).toBeLessThan(1e-5);
          shape.normal(hit);
          expect(Math.hypot(hit.nx, hit.ny, hit.nz)).toBeCloseTo(1, 6);
          const step = 1e-4;
          expect(inside([hit.x + step * hit.nx, hit.y + step * hit.ny, hit.z + step * hit.nz])).toBeGreaterThan(
            0.5 * step,
          );
          expect(inside([hit.x - step * hit.nx, hit.y - step * hit.ny, hit.z - step * hit.nz])).toBeLessThan(
            0.9 * step,
          );
        }),
        { numRuns: 300 },
      );
    },
  );
});
