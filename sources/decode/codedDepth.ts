import type { Bytes } from "./codec.ts";

/** The farthest depth of a coded image, in metres, and the code that means it. */
const [FARTHEST, MOST] = [1000, 2 ** 24 - 1];
/** Rows that are looked at; the share of neighbours that have to be near each other, in codes; and the lowest byte's change. */
const [ROWS, NEARLY_ALL, NEAR, RESTLESS] = [64, 0.95, 2 ** 16, 8];

/** HO-3D's step, metres (Hampali et al., CVPR 2020). */
const HO3D_STEP = 0.00012498664727900177;

/** The number of parts of an image's path, from its end, that may name the program. */
const PARTS = 4;

/** A program's packing of depth into bytes of colour: the names that tell it, and the metres in a pixel's red, green and blue. */
const PROGRAMS: readonly (readonly [name: RegExp, metres: (r: number, g: number, b: number) => number])[] = [
  [/carla|shift(?![a-z])/i, (r, g, b) => ((r + 256 * g + 65536 * b) * FARTHEST) / MOST],
  [/ho-?3d/i, (r, g) => (r + 256 * g) * HO3D_STEP],
];

/**
 * Metres of depth that programs keep in the three bytes of an RGB image, where `where`, the image's path, names the program: CARLA's
 * (R + 256 G + 65536 B) / (2^24 - 1) × 1000 m, HO-3D's (R + 256 G) × 0.125 mm. "untold" where no program is named and the pixels are codes:
 * as such they go on steadily while their lowest byte runs round and round, in whichever order the bytes are; `undefined` for a picture,
 * whose pixels leap.
 */
export function codedDepth(
  rgba: Bytes,
  width: number,
  height: number,
  where: string,
): Float32Array | "untold" | undefined {
  const isCoded = [ASCENDING, DESCENDING].some((order) => goesOn(rgba, width, height, order));
  if (!isCoded) return undefined;
  const near = where.split(/[\\/]/).slice(-PARTS).join("/");
  const program = PROGRAMS.find(([name]) => name.test(near));
  if (!program) return "untold";
  return Float32Array.from({ length: width * height }, (_, i) =>
    program[1](rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]),
  );
}

/** The places of a code's bytes in a pixel, the lowest first. */
const [ASCENDING, DESCENDING] = [
  [0, 1, 2],
  [2, 1, 0],
] as const;

function goesOn(
  rgba: Bytes,
  width: number,
  height: number,
  [low, middle, high]: readonly [number, number, number],
): boolean {
  const codeAt = (i: number) => rgba[4 * i + low] + 256 * rgba[4 * i + middle] + 65536 * rgba[4 * i + high];
  let [near, all, lowest] = [0, 0, 0];
  for (let y = 0; y < height; y += Math.ceil(height / ROWS)) {
    for (let i = y * width + 1; i < (y + 1) * width; i++) {
      all++;
      if (Math.abs(codeAt(i) - codeAt(i - 1)) < NEAR) near++;
      lowest += Math.abs(rgba[4 * i + low] - rgba[4 * i - 4 + low]);
    }
  }
  return all > 0 && near >= NEARLY_ALL * all && lowest >= RESTLESS * all;
}
