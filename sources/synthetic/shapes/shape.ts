import type { Rays, Vec3 } from "../geometry.ts";

/**
 * What the casting of rays fills: depth along the optical axis in metres (Infinity where nothing was met) and the
 * solid's number.
 */
export interface Layer {
  readonly width: number;
  readonly metres: Float32Array;
  readonly ids: Uint8Array;
}

/** A point of a solid while it is painted. One object serves every pixel, so that none is allocated. */
export interface Hit {
  /** In the solid's frame, metres. */
  x: number;
  y: number;
  z: number;
  /** Unit outward normal in the solid's frame. */
  nx: number;
  ny: number;
  nz: number;
  /**
   * Which face of the box around the shape this is a flat piece of: 2 · axis + (1 on the positive side); `ROUND` if of
   * none.
   */
  face: number;
  /** The material's colour, linear. */
  r: number;
  g: number;
  b: number;
}

export const ROUND = 6;

export const newHit = (): Hit => ({ x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0, face: ROUND, r: 0, g: 0, b: 0 });

/** A surface in its own frame. */
export interface Shape {
  /** A box around it. */
  readonly lo: Vec3;
  readonly hi: Vec3;
  /** The faces of that box on which the shape lies flat, so that light can be baked there. */
  readonly flat: readonly number[];
  /**
   * Casts pixels x0 ≤ x < x1 of row y and writes those that are nearer than what is there. A row at a time, so that the
   * loop is the shape's own.
   */
  cast(rays: Rays, y: number, x0: number, x1: number, layer: Layer, id: number): void;
  /** Sets the normal (and the face) of a hit from its place. */
  normal(hit: Hit): void;
}
