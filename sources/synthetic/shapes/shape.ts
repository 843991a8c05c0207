import type { Rays, Vec3 } from "../../../core/geometry.ts";

/** The result of casting rays: depth along the optical axis in metres (Infinity where no solid was hit), and the solid's number. */
export interface Layer {
  readonly width: number;
  readonly metres: Float32Array;
  readonly ids: Uint8Array;
}

/** A point of a solid while it is painted. One object serves every pixel, so none is allocated. */
export interface Hit {
  /** Position in the solid's frame, in metres. */
  x: number;
  y: number;
  z: number;
  /** Unit outward normal in the solid's frame. */
  nx: number;
  ny: number;
  nz: number;
  /** The face of the box around the shape that the point lies flat on: 2 · axis + (1 on the positive side); `ROUND` for none. */
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
  /** The corners of a box around the shape. */
  readonly lo: Vec3;
  readonly hi: Vec3;
  /** The faces of that box that the shape lies flat on, so that light can be baked there. */
  readonly flat: readonly number[];
  /**
   * Casts rays through pixels x0 ≤ x < x1 of row y, and writes hits nearer than the layer's. It takes a whole row, so that the inner loop
   * belongs to the shape.
   */
  cast(rays: Rays, y: number, x0: number, x1: number, layer: Layer, id: number): void;
  /** Sets a hit's normal and face from its position. */
  normal(hit: Hit): void;
}
