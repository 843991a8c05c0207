import type { Shape } from "./shape.ts";

/** A sphere around the origin. */
export function sphere(radius: number): Shape {
  return {
    lo: [-radius, -radius, -radius],
    hi: [radius, radius, radius],
    flat: [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      const c = ox * ox + oy * oy + oz * oz - radius * radius;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        const a = dx * dx + dy * dy + dz * dz;
        const b = ox * dx + oy * dy + oz * dz;
        const root = b * b - a * c;
        if (root < 0) continue;
        const t = (-b - Math.sqrt(root)) / a;
        if (t > 0 && t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      hit.nx = hit.x / radius;
      hit.ny = hit.y / radius;
      hit.nz = hit.z / radius;
    },
  };
}
