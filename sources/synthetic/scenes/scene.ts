import { between, type Frame, subtract, type Vec3 } from "../../../core/geometry.ts";
import type { Lighting } from "../light.ts";
import type { Material } from "../materials.ts";
import { frustum } from "../shapes/frustum.ts";
import type { Shape } from "../shapes/shape.ts";

/** A shape at a position, with a material. */
export interface Solid {
  readonly name: string;
  readonly shape: Shape;
  readonly frame: Frame;
  readonly material: Material;
  /** Light that the solid itself emits, as a factor on its colour; 0 for most. */
  readonly glow: number;
  /** The strength of the lamps' mirror images, 0 … 1; only for round solids. */
  readonly gloss: number;
  /** Whether the solid casts shadows of the lamps; cloth and lamps do not. */
  readonly blocks: boolean;
  /**
   * The share of the infrared pattern that the solid reflects, 0 … 1. Black and glossy things reflect little, so a depth camera loses them.
   */
  readonly infrared: number;
}

/** A moving sphere, which darkens what lies under it. */
export interface Shadow {
  readonly centre: Vec3;
  readonly radius: number;
}

/** A scene that a camera can look at: solids that stand still, solids that move, the light, and the camera's views. */
export interface Scene {
  /** The scene's name in errors and recordings. */
  readonly name: string;
  /** The solids that stand still. The first surrounds the others, so every ray hits something. */
  readonly still: readonly Solid[];
  /** The moving solids `t` seconds after the start, and the spheres that darken what they move over. */
  movers(t: number): { readonly solids: readonly Solid[]; readonly shadows: readonly Shadow[] };
  readonly lighting: Lighting;
  /** Camera views: the camera's position, and the point that it looks at. */
  readonly views: Readonly<Record<string, { readonly eye: Vec3; readonly target: Vec3 }>>;
  /** The way around the scene, an ellipse that meets no solid: its middle, and the camera's distance from it across, above and along. */
  readonly tour: { readonly middle: Vec3; readonly radii: Vec3 };
}

/** Every motion repeats after this many seconds, so a recording of that length loops without a jump. */
export const PERIOD_S = 10;
/** The angle at `t` seconds of a motion that repeats `times` times per period. */
export const turn = (t: number, times: number) => (2 * Math.PI * times * t) / PERIOD_S;

/** A solid that is matt, emits no light and casts a shadow, unless `more` says otherwise. */
export const solid = (
  name: string,
  shape: Shape,
  frame: Frame,
  material: Material,
  more: Partial<Solid> = {},
): Solid => ({ name, shape, frame, material, glow: 0, gloss: 0, blocks: true, infrared: 1, ...more });

/** A round bar from `a` to `b`. */
export function bar(name: string, a: Vec3, b: Vec3, radius: number, material: Material, end = radius): Solid {
  return solid(name, frustum(radius, end, Math.hypot(...subtract(b, a))), between(a, b), material);
}
