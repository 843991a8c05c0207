import { ROUND, type Shape } from "./shape.ts";

/** An ellipsoid around the origin, with its half axes along x, y and z. */
export function ellipsoid(a: number, b: number, c: number): Shape {
  const [ia, ib, ic] = [1 / a, 1 / b, 1 / c];
  return {
    lo: [-a, -b, -c],
    hi: [a, b, c],
    flat: [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      // In units of its half axes it is the unit sphere, and t stays what it is.
      const [px, py, pz] = [ox * ia, oy * ib, oz * ic];
      const rest = px * px + py * py + pz * pz - 1;
      for (let x = x0; x < x1; x++) {
        const dx = (base[0] + x * u[0] + y * v[0]) * ia;
        const dy = (base[1] + x * u[1] + y * v[1]) * ib;
        const dz = (base[2] + x * u[2] + y * v[2]) * ic;
        const square = dx * dx + dy * dy + dz * dz;
        const half = px * dx + py * dy + pz * dz;
        const root = half * half - square * rest;
        if (root < 0) continue;
        const t = (-half - Math.sqrt(root)) / square;
        if (t > 0 && t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      const [x, y, z] = [hit.x * ia * ia, hit.y * ib * ib, hit.z * ic * ic];
      const length = 1 / Math.max(Math.sqrt(x * x + y * y + z * z), 1e-12);
      hit.nx = x * length;
      hit.ny = y * length;
      hit.nz = z * length;
      hit.face = ROUND;
    },
  };
}
