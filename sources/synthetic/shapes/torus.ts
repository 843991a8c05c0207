import type { Shape } from "./shape.ts";

const MAX_STEPS = 96;
const CLOSE = 1e-7;

/** A ring about the z axis: `major` is the distance from the centre to the middle of the tube, `minor` the tube's radius. */
export function torus(major: number, minor: number): Shape {
  const outer = major + minor;
  return {
    lo: [-outer, -outer, -minor],
    hi: [outer, outer, minor],
    flat: [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      const c = ox * ox + oy * oy + oz * oz - outer * outer;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        const a = dx * dx + dy * dy + dz * dz;
        const b = ox * dx + oy * dy + oz * dz;
        const root = b * b - a * c;
        if (root < 0) continue;
        // Sphere tracing (Hart 1996), from the sphere around the ring: the distance to the tube is always a safe step.
        const length = Math.sqrt(a);
        const last = (-b + Math.sqrt(root)) / a;
        let t = Math.max(0, (-b - Math.sqrt(root)) / a);
        let distance = Infinity;
        for (let step = 0; step < MAX_STEPS && t < last; step++) {
          const px = ox + t * dx;
          const py = oy + t * dy;
          const pz = oz + t * dz;
          const ring = Math.sqrt(px * px + py * py) - major;
          distance = Math.sqrt(ring * ring + pz * pz) - minor;
          if (distance < CLOSE) break;
          t += distance / length;
        }
        if (distance < CLOSE && t > 0 && t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      const distance = Math.max(Math.hypot(hit.x, hit.y), 1e-9);
      const ring = (distance - major) / distance;
      const length = 1 / Math.max(Math.hypot(hit.x * ring, hit.y * ring, hit.z), 1e-9);
      hit.nx = hit.x * ring * length;
      hit.ny = hit.y * ring * length;
      hit.nz = hit.z * length;
    },
  };
}
