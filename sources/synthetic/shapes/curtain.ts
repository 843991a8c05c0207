import type { Shape } from "./shape.ts";

const FOLD_M = 0.035;
const FOLDS_PER_M = 5;
const SWING_M = 0.16;
const NEWTON_STEPS = 8;
/** Newton's method stops after a step of this size, which leaves an error of its square. */
const CLOSE = 1e-5;

/**
 * A cloth that hangs from y = 0 down to y = `height`, from x = 0 to x = `width`, seen from its front (−z):
 *
 *     z(x, y) = fold · wave(x) · (1 + y/height)/2  +  swing · (y/height)² · (sin phase + x cos phase)
 *
 * The folds widen towards the hem; the wind moves the hem and leaves the rail in place. `wave` is a row of parabolas, which looks like a
 * sine, has an exact slope and costs little.
 */
export function curtain(width: number, height: number, phase: number): Shape {
  const reach = FOLD_M + SWING_M * (1 + width);
  const sine = Math.sin(phase);
  const cosine = Math.cos(phase);
  return {
    lo: [0, 0, -reach],
    hi: [width, height, reach],
    flat: [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      let t = 0;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        // Newton's method, from the previous pixel's solution or the middle plane. The folds are so shallow that a ray from the front meets
        // the cloth once.
        if (!(t > 0)) t = -oz / dz;
        let change = 0;
        for (let step = 0; step < NEWTON_STEPS; step++) {
          const px = ox + t * dx;
          const q = (oy + t * dy) / height;
          const half = px * (2 * FOLDS_PER_M);
          const p = half - Math.floor(half);
          const fold = FOLD_M * (Math.floor(half) & 1 ? -1 : 1);
          const wave = 4 * p * (1 - p) * fold;
          const wind = SWING_M * q * (sine + px * cosine);
          const miss = oz + t * dz - 0.5 * (1 + q) * wave - q * wind;
          const slopeX = 4 * FOLDS_PER_M * (1 + q) * (1 - 2 * p) * fold + SWING_M * q * q * cosine;
          const slopeY = (0.5 * wave + 2 * wind) / height;
          change = miss / (dz - slopeX * dx - slopeY * dy);
          t -= change;
          if (Math.abs(change) < CLOSE) break;
        }
        // A ray along the cloth may find no solution, and passes by.
        if (!(Math.abs(change) < 1e-3)) {
          t = 0;
          continue;
        }
        const px = ox + t * dx;
        const py = oy + t * dy;
        if (px < 0 || px > width || py < 0 || py > height) continue;
        if (t > 0 && t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      const q = hit.y / height;
      const half = hit.x * (2 * FOLDS_PER_M);
      const p = half - Math.floor(half);
      const fold = FOLD_M * (Math.floor(half) & 1 ? -1 : 1);
      const slopeX = 4 * FOLDS_PER_M * (1 + q) * (1 - 2 * p) * fold + SWING_M * q * q * cosine;
      const slopeY = (2 * p * (1 - p) * fold + 2 * SWING_M * q * (sine + hit.x * cosine)) / height;
      const length = 1 / Math.sqrt(1 + slopeX * slopeX + slopeY * slopeY);
      hit.nx = slopeX * length;
      hit.ny = slopeY * length;
      hit.nz = -length;
    },
  };
}
