import { describe, expect, test } from "vitest";
import { type PlanePoint, project, unproject } from "../../../core/calibration/lens.ts";
import { registration } from "../../../core/calibration/register.ts";
import type { DistortionModel, Intrinsics } from "../../../core/frame.ts";

const camera = (width: number, height: number, fx: number, more: Partial<Intrinsics> = {}): Intrinsics => ({
  ...{ fx, fy: fx, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height },
  ...more,
});
const SAME = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0] };

/** Each distortion model with realistic coefficients. */
const lenses: readonly [DistortionModel, readonly number[]][] = [
  ["brown-conrady", [0.26, -0.95, -0.005, 0.003, 1.16]],
  ["inverse-brown-conrady", [-0.055, 0.065, 0.0006, -0.001, -0.02]],
  ["modified-brown-conrady", [0.13, -0.26, 0.001, -0.0008, 0.05]],
  ["rational", [0.33, -2.4894, -0.00013, -0.00016, 1.4537, 0.2089, -2.3029, 1.3751]],
  ["rational6kt", [0.548, -0.021, 0.00002, -0.00007, -0.00265, 0.8897, 0.0861, -0.0139]],
  ["fisheye", [0.03, -0.012, 0.004, -0.0008]],
];

describe("project and unproject", () => {
  test.each(lenses)("are inverse to each other for a %s lens", (distortionModel, distortion) => {
    const lens = camera(640, 480, 520, { distortion, distortionModel });
    const place: PlanePoint = [0, 0];
    let off = 0;
    for (let v = 0; v < 480; v += 31) {
      for (let u = 0; u < 640; u += 37) {
        unproject(lens, u, v, place);
        project(lens, ...place, place);
        off = Math.max(off, Math.hypot(place[0] - u, place[1] - v));
      }
    }
    expect(off).toBeLessThan(1e-3);
  });

  test("distort a point as the formula of each model does by hand", () => {
    const at = (distortionModel: DistortionModel, distortion: readonly number[]) => {
      const place: PlanePoint = [0, 0];
      project({ fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, distortion, distortionModel }, 0.3, 0.4, place);
      return place.map((x) => Number(x.toFixed(9)));
    };
    // r² = 0.25: 1 + 0.1·0.25 + 0.2·0.0625 = 1.0375, and p1 = 0.01, p2 = 0.02 add 2·p1·0.12 + p2·0.43, 2·p2·0.12 + p1·0.57.
    expect(at("brown-conrady", [0.1, 0.2, 0.01, 0.02])).toEqual([0.32225, 0.4255]);
    expect(at("rational6kt", [0.1, 0.2, 0.01, 0.02])).toEqual([0.32105, 0.4231]);
    expect(at("rational", [0.1, 0.2, 0, 0, 0, 0.3])).toEqual([0.289534884, 0.386046512]);
    // Tangential parts at (0.31125, 0.415): xy = 0.12916875, y² = 0.172225; r² = 0.25 is the undistorted point's, as before.
    expect(at("modified-brown-conrady", [0.1, 0.2, 0.01, 0])).toEqual([0.313833375, 0.4209445]);
    // tan 0.463647609 = 0.5.
    expect(at("fisheye", [0])[1]).toBeCloseTo((0.4 / 0.5) * 0.463647609, 8);
    expect(at("fisheye", [0.1])[0]).toBeCloseTo((0.3 / 0.5) * 0.463647609 * (1 + 0.1 * 0.463647609 ** 2), 8);
  });
});

/** A colour image whose red and green are each pixel's x and y. */
function places({ width, height }: Intrinsics): Uint8Array {
  const data = new Uint8Array(4 * width * height);
  for (let i = 0; i < width * height; i++) data.set([i % width, Math.floor(i / width), 7, 255], 4 * i);
  return data;
}

describe("colour registered to depth", () => {
  test("by the same camera is unchanged, also in holes, and missing in a row without depth", () => {
    const lens = camera(40, 30, 35, { distortion: [0.1, 0.01] });
    const depth = new Uint16Array(1200).map((_, i) => (i % 7 === 0 || i < 40 ? 0 : 500 + i));
    const expected = places(lens).fill(0, 0, 160);
    expect(registration(lens, lens, SAME).register(depth, 0.001, places(lens))).toEqual(expected);
  });

  test.each(lenses)(
    "by another, turned camera with a %s lens lies within 0.53 px of the formulas",
    (model, distortion) => {
      const depth = camera(64, 58, 50, { distortion: [0.2, -0.1, 0.001] });
      const color = camera(160, 90, 75, { distortion, distortionModel: model });
      const [c, s] = [Math.cos(0.1), Math.sin(0.1)];
      const extrinsics = { rotation: [1, 0, 0, 0, c, s, 0, -s, c], translation: [-0.032, -0.002, 0.004] };
      const values = new Uint16Array(64 * 58).fill(900);
      const out = registration(depth, color, extrinsics).register(values, 0.001, places(color));
      let [seen, colored, off] = [0, 0, 0];
      for (let i = 0; i < values.length; i++) {
        const ray: PlanePoint = [0, 0];
        unproject(depth, i % 64, Math.floor(i / 64), ray);
        const [x, y, z] = [ray[0] * 0.9, ray[1] * 0.9, 0.9];
        const [px, py, pz] = [x - 0.032, c * y + s * z - 0.002, -s * y + c * z + 0.004];
        const pixel: PlanePoint = [0, 0];
        project(color, px / pz, py / pz, pixel);
        const inside = pixel[0] > 0 && pixel[0] < 159 && pixel[1] > 0 && pixel[1] < 89;
        if (!inside) continue;
        seen++;
        if (out[4 * i + 3] === 255) colored++;
        off = Math.max(off, Math.abs(out[4 * i] - pixel[0]), Math.abs(out[4 * i + 1] - pixel[1]));
      }
      expect(seen).toBeGreaterThan(2000);
      expect(colored).toBe(seen);
      // Half a pixel for the nearest pixel, and 0.03 for the lookup table's error.
      expect(off).toBeLessThan(0.53);
    },
  );

  test("is missing where the colour camera's view is hidden by something nearer", () => {
    // A board at 0.5 m before a wall at 2 m. The colour camera stands 6 cm to the right.
    const lens = camera(100, 20, 100);
    const values = new Uint16Array(2000).fill(2000);
    const board = (u: number) => u >= 40 && u < 60;
    for (let i = 0; i < 2000; i++) if (board(i % 100)) values[i] = 500;
    // In colour the board shifts by 100·0.06/0.5 = 12 pixels to the left, the wall by 3: the wall from 31 to 50 is hidden.
    const out = registration(lens, lens, { ...SAME, translation: [-0.06, 0, 0] }).register(values, 0.001, places(lens));
    const row = Array.from({ length: 100 }, (_, u) =>
      out[4 * (1000 + u) + 3] === 0 ? "." : board(u) ? "b" : "w",
    ).join("");
    expect(row).toMatch(/^\.{3}w{28}\.{9}b{20}w{40}$/);
    for (let u = 40; u < 60; u++) expect(out[4 * (1000 + u)]).toBe(u - 12);
  });

  test("covers a steeply slanted wall, which does not hide itself", () => {
    // The wall goes from 0.36 to 1.8 m at a grazing angle; the colour camera stands 5 cm to either side.
    const lens = camera(200, 8, 180);
    const values = new Uint16Array(1600);
    for (let i = 0; i < 1600; i++) {
      const x = ((i % 200) - lens.cx) / lens.fx;
      values[i] = Math.round(10_000 * (0.6 / (1 - x * Math.tan((50 * Math.PI) / 180))));
    }
    for (const tx of [-0.05, 0.05]) {
      const out = registration(lens, lens, { ...SAME, translation: [tx, 0, 0] }).register(values, 1e-4, places(lens));
      const hidden = Array.from({ length: 200 }, (_, u) => u).filter((u) => {
        const seen = u + (lens.fx * tx) / (values[u] * 1e-4);
        return values[u] > 0 && seen > 1 && seen < 198 && out[4 * u + 3] === 0;
      });
      expect(hidden).toEqual([]);
    }
  });
});
