import type { Vec3 } from "../../../core/geometry.ts";
import type { Hit, Shape } from "./shape.ts";

export function box(lo: Vec3, hi: Vec3): Shape {
  return {
    lo,
    hi,
    flat: [0, 1, 2, 3, 4, 5],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      for (let x = x0; x < x1; x++) {
        // Slab test: the ray is inside once it has entered all three pairs of planes and left none.
        const ix = 1 / (base[0] + x * u[0] + y * v[0]);
        const iy = 1 / (base[1] + x * u[1] + y * v[1]);
        const iz = 1 / (base[2] + x * u[2] + y * v[2]);
        const ax = (lo[0] - ox) * ix;
        const bx = (hi[0] - ox) * ix;
        const ay = (lo[1] - oy) * iy;
        const by = (hi[1] - oy) * iy;
        const az = (lo[2] - oz) * iz;
        const bz = (hi[2] - oz) * iz;
        const enter = Math.max(Math.min(ax, bx), Math.min(ay, by), Math.min(az, bz));
        const leave = Math.min(Math.max(ax, bx), Math.max(ay, by), Math.max(az, bz));
        if (enter > 0 && enter <= leave && enter < metres[row + x]) {
          metres[row + x] = enter;
          ids[row + x] = id;
        }
      }
    },
    normal: (hit) => faceNormal(hit, lo, hi, 1),
  };
}

/** The inside of a box, as a room. */
export function room(lo: Vec3, hi: Vec3): Shape {
  return {
    lo,
    hi,
    flat: [0, 1, 2, 3, 4, 5],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        // From inside, only the three planes ahead can be hit, and the nearest is the wall. A ray along a wall divides by 0 of either sign.
        const tx = Math.abs(((dx > 0 ? hi[0] : lo[0]) - ox) / dx);
        const ty = Math.abs(((dy > 0 ? hi[1] : lo[1]) - oy) / dy);
        const tz = Math.abs(((dz > 0 ? hi[2] : lo[2]) - oz) / dz);
        const t = Math.min(tx, ty, tz);
        if (t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal: (hit) => faceNormal(hit, lo, hi, -1),
  };
}

/** Sets the normal of the face that the hit lies on, the one along whose axis it is furthest out. A `sign` of −1 turns normals inward. */
function faceNormal(hit: Hit, lo: Vec3, hi: Vec3, sign: number): void {
  const x = hit.x - (lo[0] + hi[0]) / 2;
  const y = hit.y - (lo[1] + hi[1]) / 2;
  const z = hit.z - (lo[2] + hi[2]) / 2;
  const outX = Math.abs(x) - (hi[0] - lo[0]) / 2;
  const outY = Math.abs(y) - (hi[1] - lo[1]) / 2;
  const outZ = Math.abs(z) - (hi[2] - lo[2]) / 2;
  hit.nx = 0;
  hit.ny = 0;
  hit.nz = 0;
  if (outX > outY && outX > outZ) {
    hit.nx = x > 0 ? sign : -sign;
    hit.face = x > 0 ? 1 : 0;
  } else if (outY > outZ) {
    hit.ny = y > 0 ? sign : -sign;
    hit.face = y > 0 ? 3 : 2;
  } else {
    hit.nz = z > 0 ? sign : -sign;
    hit.face = z > 0 ? 5 : 4;
  }
}
