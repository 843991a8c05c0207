import { ROUND, type Shape } from "./shape.ts";

/**
 * Two balls and the skin that is drawn over both: radius `r0` around the origin, `r1` around (0, `height`, 0). A limb, where the
 * balls are its joints. `height` must be more than the radii differ by, or one ball would be inside the other.
 *
 *        ╭──────────╮          the skin touches a ball where its cosine to the axis is (r0 − r1) / height
 *       (    r0      ╲╌╌╌╌╮
 *       (     ·  axis  · r1 )
 *        ╰──────────╱╌╌╌╌╯
 */
export function capsule(r0: number, r1: number, height: number): Shape {
  const widest = Math.max(r0, r1);
  const less = r0 - r1;
  const square = height * height;
  const skin = square - less * less;
  /** The position along the skin: 0 where the skin leaves the first ball, `skin` where it meets the second. */
  const alongSkin = (y: number) => y * height - r0 * less;
  return {
    lo: [-widest, -r0, -widest],
    hi: [widest, height + r1, widest],
    flat: [],
    cast({ origin: [ox, oy, oz], base, u, v }, y, x0, x1, layer, id) {
      const { metres, ids } = layer;
      const row = y * layer.width;
      const first = ox * ox + oy * oy + oz * oz;
      const second = first - 2 * oy * height + square;
      const k0 = skin * first - (oy * height) ** 2 + 2 * oy * height * less * r0 - square * r0 * r0;
      for (let x = x0; x < x1; x++) {
        const dx = base[0] + x * u[0] + y * v[0];
        const dy = base[1] + x * u[1] + y * v[1];
        const dz = base[2] + x * u[2] + y * v[2];
        const length = dx * dx + dy * dy + dz * dz;
        const along = ox * dx + oy * dy + oz * dz;
        let t = Infinity;
        const ball0 = along * along - length * (first - r0 * r0);
        if (ball0 >= 0) t = (-along - Math.sqrt(ball0)) / length;
        const along1 = along - dy * height;
        const ball1 = along1 * along1 - length * (second - r1 * r1);
        if (ball1 >= 0) t = Math.min(t, (-along1 - Math.sqrt(ball1)) / length);
        // The skin is a part of a cone: k2 t² + 2 k1 t + k0 = 0.
        const k2 = skin * length - (dy * height) ** 2;
        const k1 = skin * along - oy * dy * square + dy * height * less * r0;
        const root = k1 * k1 - k0 * k2;
        if (root >= 0) {
          const s = Math.sqrt(root);
          for (let sign = -1; sign <= 1; sign += 2) {
            const at = (-k1 + sign * s) / k2;
            const place = alongSkin(oy + at * dy);
            if (place > 0 && place < skin && at < t) t = at;
          }
        }
        if (t > 0 && t < metres[row + x]) {
          metres[row + x] = t;
          ids[row + x] = id;
        }
      }
    },
    normal(hit) {
      const place = alongSkin(hit.y);
      const [x, z] = [hit.x, hit.z];
      const y = place <= 0 ? hit.y : place >= skin ? hit.y - height : hit.y - (height * place) / skin;
      const length = 1 / Math.max(Math.sqrt(x * x + y * y + z * z), 1e-12);
      hit.nx = x * length;
      hit.ny = y * length;
      hit.nz = z * length;
      hit.face = ROUND;
    },
  };
}
