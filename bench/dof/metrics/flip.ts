import { LINEAR, type Rgba } from "../light.ts";

// FLIP: A Difference Evaluator for Alternating Images. Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström, Fairchild 2020.

/** The paper's viewing conditions: 0.7 m in front of a screen 0.7 m and 3840 px wide. */
const PIXELS_PER_DEGREE = (0.7 * 3840 * Math.PI) / (0.7 * 180);

/** Contrast sensitivity of the eye (section 4.1): for each channel a sum of Gaussians, a · √(π/b) · exp(−π² d²/b) at d degrees. */
const SENSITIVITY = [
  [[1, 0.0047]],
  [[1, 0.0053]],
  [
    [34.1, 0.04],
    [13.5, 0.025],
  ],
] as const;
const WIDEST = 0.04;
/** Width of the features in degrees, and the exponents and knee of the paper's section 4.3 and 5. */
const FEATURE = 0.082;
const [COLOUR_POWER, FEATURE_POWER, KNEE, KNEE_VALUE] = [0.7, 0.5, 0.4, 0.95];

type Plane = Float32Array;
type Triple = readonly [number, number, number];
interface Size {
  readonly width: number;
  readonly height: number;
}

/** How different two pictures look to somebody who flips between them at `pixelsPerDegree`: for each pixel from 0 (equal) to 1. */
export function flipMap(reference: Rgba, test: Rgba, pixelsPerDegree = PIXELS_PER_DEGREE): Float32Array {
  const [a, b] = [opponent(reference), opponent(test)];
  const [ca, cb] = [perceived(a, reference, pixelsPerDegree), perceived(b, reference, pixelsPerDegree)];
  const [fa, fb] = [features(a[0], reference, pixelsPerDegree), features(b[0], reference, pixelsPerDegree)];
  const largest = apart(hunt([0, 1, 0]), hunt([0, 0, 1])) ** COLOUR_POWER;
  return Float32Array.from({ length: reference.width * reference.height }, (_, p) => {
    const power = apart(at(ca, p), at(cb, p)) ** COLOUR_POWER;
    const knee = KNEE * largest;
    const colour =
      power < knee ? (KNEE_VALUE / knee) * power : KNEE_VALUE + ((power - knee) / (largest - knee)) * (1 - KNEE_VALUE);
    const edges = Math.abs(fa.edges[p] - fb.edges[p]);
    const points = Math.abs(fa.points[p] - fb.points[p]);
    return colour ** (1 - (Math.max(edges, points) / Math.SQRT2) ** FEATURE_POWER);
  });
}

/** The mean of the FLIP map. */
export function flip(reference: Rgba, test: Rgba): number {
  const map = flipMap(reference, test);
  return map.reduce((sum, error) => sum + error, 0) / map.length;
}

type Planes = readonly [Plane, Plane, Plane];
const at = (planes: Planes, p: number): Triple => [planes[0][p], planes[1][p], planes[2][p]];
/** HyAB distance: lightness and colour are each measured on a scale of their own. */
const apart = (a: Triple, b: Triple) => Math.abs(a[0] - b[0]) + Math.hypot(a[1] - b[1], a[2] - b[2]);

// D65.
const WHITE: Triple = [0.950428545, 1, 1.088900371];
const TO_XYZ = [
  [10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794],
  [2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897],
  [1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382],
] as const;
const FROM_XYZ = [
  [3.241003275, -1.537398934, -0.498615861],
  [-0.969224334, 1.875930071, 0.041554224],
  [0.055639423, -0.204011202, 1.057148933],
] as const;
const times = (m: readonly Triple[], [x, y, z]: Triple): Triple => {
  const row = ([a, b, c]: Triple = [0, 0, 0]) => a * x + b * y + c * z;
  return [row(m[0]), row(m[1]), row(m[2])];
};
/** Converts linear light to X, Y, Z relative to white. */
const relative = (rgb: Triple): Triple => {
  const [x, y, z] = times(TO_XYZ, rgb);
  return [x / WHITE[0], y / WHITE[1], z / WHITE[2]];
};

/** Converts to YyCxCz: lightness, red against green, blue against yellow, all linear. */
function opponent({ width, height, rgba }: Rgba): Planes {
  const planes = [0, 1, 2].map(() => new Float32Array(width * height)) as unknown as Planes;
  for (let p = 0; p < width * height; p++) {
    const light = (c: number) => LINEAR[rgba[4 * p + c]];
    const [x, y, z] = relative([light(0), light(1), light(2)]);
    planes[0][p] = 116 * y - 16;
    planes[1][p] = 500 * (x - y);
    planes[2][p] = 200 * (y - z);
  }
  return planes;
}

/** What the eye resolves of a picture, as L*a*b* with Hunt's adjustment: colours fade in the dark. */
function perceived(planes: Planes, size: Size, pixelsPerDegree: number): Planes {
  const radius = Math.ceil(3 * Math.sqrt(WIDEST / (2 * Math.PI ** 2)) * pixelsPerDegree);
  const filtered = planes.map((plane, channel) => {
    const sum = new Float32Array(plane.length);
    let total = 0;
    for (const [a, b] of SENSITIVITY[channel] ?? []) {
      const kernel = weights(radius, (x) => Math.exp((-(Math.PI ** 2) * (x / pixelsPerDegree) ** 2) / b));
      const share = a * Math.sqrt(Math.PI / b) * kernel.reduce((s, w) => s + w, 0) ** 2;
      const blurred = convolve(plane, normalised(kernel), normalised(kernel), size);
      for (let p = 0; p < sum.length; p++) sum[p] = sum[p] + share * blurred[p];
      total += share;
    }
    return sum.map((x) => x / total);
  }) as unknown as Planes;
  const result = [0, 1, 2].map(() => new Float32Array(planes[0].length)) as unknown as Planes;
  for (let p = 0; p < planes[0].length; p++) {
    const y = (filtered[0][p] + 16) / 116;
    const xyz: Triple = [(y + filtered[1][p] / 500) * WHITE[0], y * WHITE[1], (y - filtered[2][p] / 200) * WHITE[2]];
    const [r, g, b] = times(FROM_XYZ, xyz);
    const within = (c: number) => Math.min(Math.max(c, 0), 1);
    const lab = hunt([within(r), within(g), within(b)]);
    for (const c of [0, 1, 2] as const) result[c][p] = lab[c];
  }
  return result;
}

function hunt(rgb: Triple): Triple {
  const f = (t: number) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const [x, y, z] = relative(rgb);
  const lightness = 116 * f(y) - 16;
  return [lightness, 0.01 * lightness * 500 * (f(x) - f(y)), 0.01 * lightness * 200 * (f(y) - f(z))];
}

/** The strength of edges and of points at each pixel: derivatives of a Gaussian, with positive and negative weights that each sum to 1. */
function features(
  lightness: Plane,
  size: Size,
  pixelsPerDegree: number,
): { readonly edges: Plane; readonly points: Plane } {
  const sd = 0.5 * FEATURE * pixelsPerDegree;
  const radius = Math.ceil(3 * sd);
  const bell = (x: number) => Math.exp((-x * x) / (2 * sd * sd));
  const smooth = normalised(weights(radius, bell));
  const plane = lightness.map((y) => (y + 16) / 116);
  const strength = (shape: (x: number) => number) => {
    const kernel = balanced(weights(radius, shape));
    const [across, along] = [convolve(plane, kernel, smooth, size), convolve(plane, smooth, kernel, size)];
    return across.map((x, p) => Math.hypot(x, along[p]));
  };
  return { edges: strength((x) => -x * bell(x)), points: strength((x) => (x ** 2 / sd ** 2 - 1) * bell(x)) };
}

const weights = (radius: number, f: (x: number) => number): number[] =>
  Array.from({ length: 2 * radius + 1 }, (_, i) => f(i - radius));

function normalised(kernel: readonly number[]): number[] {
  const sum = kernel.reduce((s, w) => s + w, 0);
  return kernel.map((w) => w / sum);
}

function balanced(kernel: readonly number[]): number[] {
  const above = kernel.reduce((s, w) => s + Math.max(w, 0), 0);
  const below = kernel.reduce((s, w) => s - Math.min(w, 0), 0);
  return kernel.map((w) => w / (w < 0 ? below : above));
}

/** Correlates with a kernel along the rows and another along the columns; the picture's edge pixels are repeated outwards. */
function convolve(plane: Plane, rows: readonly number[], columns: readonly number[], { width, height }: Size): Plane {
  const pass = (from: Plane, kernel: readonly number[], step: number, length: number, lines: number, apart: number) => {
    const to = new Float32Array(from.length);
    const radius = (kernel.length - 1) / 2;
    for (let line = 0; line < lines; line++) {
      for (let i = 0; i < length; i++) {
        let sum = 0;
        for (let k = 0; k < kernel.length; k++) {
          const j = Math.min(Math.max(i + k - radius, 0), length - 1);
          sum += kernel[k] * from[line * apart + j * step];
        }
        to[line * apart + i * step] = sum;
      }
    }
    return to;
  };
  return pass(pass(plane, rows, 1, width, height, width), columns, width, height, width, 1);
}
