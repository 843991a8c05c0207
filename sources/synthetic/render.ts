import type { Intrinsics } from "../../core/frame.ts";
import { type Frame, type Rays, type Rect, raysIn, rectOf } from "../../core/geometry.ts";
import { highlight, type Lighting, light, newSpot } from "./light.ts";
import { type Lightmap, lookUp } from "./lightmap.ts";
import type { Shadow, Solid } from "./scenes/scene.ts";
import { type Layer, newHit } from "./shapes/shape.ts";

/** A camera's pose and intrinsics. */
export interface View {
  readonly camera: Frame;
  readonly intrinsics: Intrinsics;
}

/** A solid as a camera sees it: its number in the layer, the pixels that it can cover, and the rays in its own frame. */
export interface CastSolid {
  readonly solid: Solid;
  readonly id: number;
  readonly rect: Rect;
  readonly rays: Rays;
}

/** Casts solids into a layer, numbered from `firstId`. The nearest surface of each pixel stays. */
export function cast(solids: readonly Solid[], firstId: number, view: View, layer: Layer): CastSolid[] {
  return solids.map((solid, i): CastSolid => {
    const rect = rectOf(solid.frame, solid.shape.lo, solid.shape.hi, view.camera, view.intrinsics);
    const rays = raysIn(solid.frame, view.camera, view.intrinsics);
    for (let y = rect.y0; y < rect.y1; y++) solid.shape.cast(rays, y, rect.x0, rect.x1, layer, firstId + i);
    return { solid, id: firstId + i, rect, rays };
  });
}

/** The tone curve from a surface's light to the screen: 0 … 8 in 32768 steps, a soft shoulder, then sRGB. */
const STEPS = 32768;
const BRIGHTEST = 8;
const SCREEN = new Uint8Array(STEPS).map((_, i) => {
  const x = 1 - Math.exp((-1.6 * i * BRIGHTEST) / STEPS);
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
});
const screen = (x: number) => SCREEN[Math.min(x * (STEPS / BRIGHTEST), STEPS - 1) | 0];

/** Paints the pixels of a layer that show these solids into `rgba`. */
export function paint(
  seen: readonly CastSolid[],
  maps: ReadonlyMap<Solid, Lightmap>,
  lighting: Lighting,
  { camera }: View,
  layer: Layer,
  rgba: Uint8Array,
): void {
  const { width, metres, ids } = layer;
  const hit = newHit();
  const spot = newSpot();
  for (const { solid, id, rect, rays } of seen) {
    const map = maps.get(solid);
    const { origin, base, u, v } = rays;
    const { rotation: m, position } = solid.frame;
    for (let y = rect.y0; y < rect.y1; y++) {
      for (let x = rect.x0; x < rect.x1; x++) {
        const i = y * width + x;
        if (ids[i] !== id) continue;
        const t = metres[i];
        hit.x = origin[0] + t * (base[0] + x * u[0] + y * v[0]);
        hit.y = origin[1] + t * (base[1] + x * u[1] + y * v[1]);
        hit.z = origin[2] + t * (base[2] + x * u[2] + y * v[2]);
        solid.shape.normal(hit);
        // An open shape also shows its inside, so light falls on the side that is seen.
        const facing =
          hit.nx * (hit.x - origin[0]) + hit.ny * (hit.y - origin[1]) + hit.nz * (hit.z - origin[2]) > 0 ? -1 : 1;
        solid.material(hit);
        const face = map?.[hit.face];
        let shine = 0;
        if (face) lookUp(face, hit, spot);
        else {
          spot.x = m[0] * hit.x + m[1] * hit.y + m[2] * hit.z + position[0];
          spot.y = m[3] * hit.x + m[4] * hit.y + m[5] * hit.z + position[1];
          spot.z = m[6] * hit.x + m[7] * hit.y + m[8] * hit.z + position[2];
          spot.nx = facing * (m[0] * hit.nx + m[1] * hit.ny + m[2] * hit.nz);
          spot.ny = facing * (m[3] * hit.nx + m[4] * hit.ny + m[5] * hit.nz);
          spot.nz = facing * (m[6] * hit.nx + m[7] * hit.ny + m[8] * hit.nz);
          light(spot, lighting);
          if (solid.gloss > 0) shine = solid.gloss * highlight(spot, camera.position, lighting);
        }
        rgba[4 * i] = screen(hit.r * (spot.r + solid.glow) + shine);
        rgba[4 * i + 1] = screen(hit.g * (spot.g + solid.glow) + shine);
        rgba[4 * i + 2] = screen(hit.b * (spot.b + solid.glow) + shine);
        rgba[4 * i + 3] = 255;
      }
    }
  }
}

const REACH = 3;

/**
 * Darkens what stands still (numbers below `firstMover`) near moving spheres. On a level surface a sphere hides a share of the sky of r²/d²
 * times the cosine to the vertical.
 */
export function shade(
  shadows: readonly Shadow[],
  firstMover: number,
  view: View,
  layer: Layer,
  rgba: Uint8Array,
): void {
  const level: Frame = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], position: [0, 0, 0] };
  const { origin, base, u, v } = raysIn(level, view.camera, view.intrinsics);
  for (const { centre, radius } of shadows) {
    const frame: Frame = { rotation: level.rotation, position: centre };
    const far = radius * REACH;
    const rect = rectOf(frame, [-far, 0, -far], [far, Math.min(far, -centre[1]), far], view.camera, view.intrinsics);
    for (let y = rect.y0; y < rect.y1; y++) {
      for (let x = rect.x0; x < rect.x1; x++) {
        const i = y * layer.width + x;
        if (layer.ids[i] >= firstMover) continue;
        const t = layer.metres[i];
        const dx = centre[0] - origin[0] - t * (base[0] + x * u[0] + y * v[0]);
        const dy = origin[1] + t * (base[1] + x * u[1] + y * v[1]) - centre[1];
        const dz = centre[2] - origin[2] - t * (base[2] + x * u[2] + y * v[2]);
        const square = dx * dx + dy * dy + dz * dz;
        if (dy <= 0 || square > far * far) continue;
        const fade = 1 - square / (far * far);
        const left = 1 - Math.min(0.75, ((0.9 * radius * radius) / square) * (dy / Math.sqrt(square)) * fade);
        for (let c = 0; c < 3; c++) rgba[4 * i + c] = rgba[4 * i + c] * left;
      }
    }
  }
}
