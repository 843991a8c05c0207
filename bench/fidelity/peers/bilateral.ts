import type { Depth } from "../image.ts";

const OUTSIDE = -1;

/**
 * OpenCV's bilateralFilter for a CV_32F image (Tomasi and Manduchi 1998): a mean over a disc `d` pixels wide, weighted by exp(−r²/2σs² −
 * Δ²/2σr²), with the border reflected. Holes are depths of 0 to it, too far from all other depths to have weight. Unlike OpenCV, which uses
 * a table, exp is exact here.
 */
export function bilateral(d: number, sigmaMm: number, sigmaPx: number): (depth: Depth) => Depth {
  const reach = d >> 1;
  const offsets: [dx: number, dy: number, weight: number][] = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const r2 = dx * dx + dy * dy;
      if (r2 <= reach * reach) offsets.push([dx, dy, Math.exp(-r2 / (2 * sigmaPx * sigmaPx))]);
    }
  }
  // Weights by depth difference in sixteenths of σ, with linear interpolation.
  const fine = 64;
  const table = Float64Array.from({ length: 6 * fine + 2 }, (_, k) => Math.exp(-0.5 * (k / fine) ** 2));
  return ({ width, height, mm }) => {
    const out = new Float32Array(mm.length);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        const z = mm[i];
        if (z === 0) continue;
        let [sum, weight] = [0, 0];
        for (const [dx, dy, w] of offsets) {
          const [u, v] = [reflect(x + dx, width), reflect(y + dy, height)];
          if (u === OUTSIDE || v === OUTSIDE) continue;
          const other = mm[v * width + u];
          const at = (Math.abs(other - z) / sigmaMm) * fine;
          if (at >= 6 * fine) continue;
          const k = at | 0;
          const both = w * (table[k] + (at - k) * (table[k + 1] - table[k]));
          sum += both * other;
          weight += both;
        }
        out[i] = sum / weight;
      }
    }
    return { width, height, mm: out };
  };
}

/** Reflects an index at the border without repeating the border's pixel; an image smaller than the window has no reflection. */
function reflect(at: number, size: number): number {
  if (at >= 0 && at < size) return at;
  const back = at < 0 ? -at : 2 * (size - 1) - at;
  return back >= 0 && back < size ? back : OUTSIDE;
}
