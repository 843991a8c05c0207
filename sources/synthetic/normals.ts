import { type Frame, rotate, unrotate, type Vec3 } from "../../core/geometry.ts";
import type { CastSolid } from "./render.ts";
import { type Layer, newHit } from "./shapes/shape.ts";

/** The exact normal of every pixel, towards the camera and in its axes, three numbers per pixel; 0, 0, 0 where there is no surface. */
export function normalsOf(seen: readonly CastSolid[], camera: Frame, { width, metres, ids }: Layer): Float32Array {
  const normals = new Float32Array(3 * metres.length);
  const hit = newHit();
  for (const { solid, id, rect, rays } of seen) {
    const { origin, base, u, v } = rays;
    for (let y = rect.y0; y < rect.y1; y++) {
      for (let x = rect.x0; x < rect.x1; x++) {
        const i = y * width + x;
        if (ids[i] !== id) continue;
        const t = metres[i];
        const ray: Vec3 = [base[0] + x * u[0] + y * v[0], base[1] + x * u[1] + y * v[1], base[2] + x * u[2] + y * v[2]];
        hit.x = origin[0] + t * ray[0];
        hit.y = origin[1] + t * ray[1];
        hit.z = origin[2] + t * ray[2];
        solid.shape.normal(hit);
        const facing = hit.nx * ray[0] + hit.ny * ray[1] + hit.nz * ray[2] > 0 ? -1 : 1;
        const world = rotate(solid.frame.rotation, [facing * hit.nx, facing * hit.ny, facing * hit.nz]);
        normals.set(unrotate(camera.rotation, world), 3 * i);
      }
    }
  }
  return normals;
}
