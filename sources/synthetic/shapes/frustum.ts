import { ROUND, type Shape } from "./shape.ts";

/**
 * A truncated cone or a cylinder about the y axis, from y = 0 (radius `r0`) to y = `height` (radius `r1`). `caps` closes the ends; without
 * them the inside is visible.
 */
export function frustum(r0: number, r1: number, height: number, caps = true): Shape {
  const widest = Math.max(r0, r1);
  const slope = (r1 - r0) / height;
  return {
    lo: [-widest, 0, -widest],
    hi: [widest, height, widest],
    flat: caps ? [2, 3] : [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      // The surface is x² + z² = (r0 + slope · y)²; along the ray that becomes a t² + 2 b t + c = 0.
      const radius = r0 + slope * oy;
      const c = ox * ox + oz * oz - radius * radius;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        const a = dx * dx + dz * dz - slope * slope * dy * dy;
        const b = ox * dx + oz * dz - slope * radius * dy;
        const root = b * b - a * c;
        // A line that misses the cone misses its ends too.
        if (root < 0) continue;
        let t = Infinity;
        const s = a > 0 ? Math.sqrt(root) : -Math.sqrt(root);
        const first = (-b - s) / a;
        const second = (-b + s) / a;
        const y1 = oy + first * dy;
        const y2 = oy + second * dy;
        if (first > 0 && y1 >= 0 && y1 <= height) t = first;
        else if (second > 0 && y2 >= 0 && y2 <= height) t = second;
        if (caps) {
          const near = -oy / dy;
          const far = (height - oy) / dy;
          const nx = ox + near * dx;
          const nz = oz + near * dz;
          const fx = ox + far * dx;
          const fz = oz + far * dz;
          if (near > 0 && near < t && nx * nx + nz * nz <= r0 * r0) t = near;
          if (far > 0 && far < t && fx * fx + fz * fz <= r1 * r1) t = far;
        }
        if (t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      const distance = Math.sqrt(hit.x * hit.x + hit.z * hit.z);
      const side = Math.abs(distance - (r0 + slope * hit.y));
      if (caps && Math.min(Math.abs(hit.y), Math.abs(hit.y - height)) < side) {
        hit.nx = 0;
        hit.ny = hit.y < height / 2 ? -1 : 1;
        hit.nz = 0;
        hit.face = hit.y < height / 2 ? 2 : 3;
        return;
      }
      const length = Math.sqrt(1 + slope * slope);
      const across = 1 / (Math.max(distance, 1e-9) * length);
      hit.nx = hit.x * across;
      hit.ny = -slope / length;
      hit.nz = hit.z * across;
      hit.face = ROUND;
    },
  };
}
