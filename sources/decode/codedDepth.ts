import type { Bytes } from "./codec.ts";

/** The farthest depth of a coded image, in metres, and the code that means it. */
const [FARTHEST, MOST] = [1000, 2 ** 24 - 1];
/** Rows that are looked at; the share of neighbours that have to be near each other, in codes; and how much red changes among them. */
const [ROWS, NEARLY_ALL, NEAR, RESTLESS] = [64, 0.95, 2 ** 16, 8];

/**
 * Metres of depth that CARLA, and data sets made with it, keep in the three bytes of an RGB image:
 * (R + 256 G + 65536 B) / (2^24 - 1) × 1000 m. `undefined` for a picture: as codes its pixels leap, where those of depth go on steadily
 * while their lowest byte, red, runs round and round.
 */
export function codedDepth(rgba: Bytes, width: number, height: number): Float32Array | undefined {
  const codeAt = (i: number) => rgba[4 * i] + 256 * rgba[4 * i + 1] + 65536 * rgba[4 * i + 2];
  let [near, all, red] = [0, 0, 0];
  for (let y = 0; y < height; y += Math.ceil(height / ROWS)) {
    for (let i = y * width + 1; i < (y + 1) * width; i++) {
      all++;
      if (Math.abs(codeAt(i) - codeAt(i - 1)) < NEAR) near++;
      red += Math.abs(rgba[4 * i] - rgba[4 * i - 4]);
    }
  }
  if (all === 0 || near < NEARLY_ALL * all || red < RESTLESS * all) return undefined;
  return Float32Array.from({ length: width * height }, (_, i) => (codeAt(i) * FARTHEST) / MOST);
}
