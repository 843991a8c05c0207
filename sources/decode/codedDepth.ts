import type { Bytes } from "./codec.ts";

/** The farthest depth of a coded image, in metres, and the code that means it. */
const FARTHEST = 1000;
const MOST = 2 ** 24 - 1;
/** Rows that are looked at; the share of neighbours that have to be near each other, in codes; and the lowest byte's change. */
const ROWS = 64;
const NEARLY_ALL = 0.95;
const NEAR = 2 ** 16;
const RESTLESS = 8;

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
 * (R + 256 G + 65536 B) / (2^24 - 1) × 1000 m, HO-3D's (R + 256 G) × 0.125 mm. "untold" where no program is named, but the pixels are
 * codes: with their bytes in some order, neighbouring values are close, although their lowest bytes run round and round. `undefined` for
 * a picture, whose values leap. Floats of 32 bits, metres, in the bytes of RGBA are told by their exponents alone.
 */
export function codedDepth(
  rgba: Bytes,
  width: number,
  height: number,
  where: string,
): Float32Array | "untold" | undefined {
  const floats = floatsIn(rgba, width, height);
  if (floats) return floats;
  const isCoded = [ASCENDING, DESCENDING].some((order) => goesOn(rgba, width, height, order));
  if (!isCoded) return undefined;
  const near = where.split(/[\\/]/).slice(-PARTS).join("/");
  const program = PROGRAMS.find(([name]) => name.test(near));
  if (!program) return "untold";
  return Float32Array.from({ length: width * height }, (_, i) =>
    program[1](rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]),
  );
}

/** The exponents' bytes of floats from a millimetre to 65 km, in m or mm; the share of neighbours that have to be within a tenth. */
const SMALLEST = 0x3a;
const LARGEST = 0x47;
const STEADY = 0.8;

/**
 * Floats of 32 bits whose highest byte is alpha, as RTAB-Map keeps depth: red is the byte below it (OpenCV), or the lowest byte (NumPy),
 * whichever makes neighbours alike. `undefined` for anything else.
 */
function floatsIn(rgba: Bytes, width: number, height: number): Float32Array | undefined {
  let some = 0;
  for (let i = 0; i < rgba.length; i += 4) {
    const a = rgba[i + 3];
    if (a >= SMALLEST && a <= LARGEST) some++;
    // 0, NaN and infinity are no measurement.
    else if (!((a | rgba[i] | rgba[i + 1] | rgba[i + 2]) === 0 || (a | 0x80) === 0xff)) return undefined;
  }
  if (some === 0 || some < 0.02 * width * height) return undefined;
  const view = new DataView(new ArrayBuffer(4));
  const of = (order: readonly number[]) =>
    Float32Array.from({ length: width * height }, (_, i) => {
      for (const [at, from] of order.entries()) view.setUint8(at, rgba[4 * i + from]);
      return view.getFloat32(0);
    });
  const [best, other] = [of([3, 0, 1, 2]), of([3, 2, 1, 0])]
    .map((data) => ({ data, alike: alikeIn(data, width) }))
    .sort((a, b) => b.alike - a.alike);
  return best.alike >= STEADY && best.alike >= other.alike ? best.data : undefined;
}

/** The share of neighbours in rows, both with values, that differ by less than a tenth. */
function alikeIn(data: Float32Array, width: number): number {
  let [alike, all] = [0, 0];
  for (let i = 1; i < data.length; i++) {
    if (i % width === 0 || !(data[i] > 0 && data[i - 1] > 0)) continue;
    all++;
    if (Math.abs(data[i] - data[i - 1]) < 0.1 * data[i]) alike++;
  }
  return all > 0 ? alike / all : 0;
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
