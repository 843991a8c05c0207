import type { DepthFrame } from "../../core/frame.ts";
import { type Band, bandAt } from "./depthBands.ts";

/** The side of an area in pixels. The stage temporal averages changes over areas of the same size. */
const SIDE = 9;
/** The distance between the centres of two areas that are looked at, in pixels. */
const APART = 16;
/** A pixel whose depth changes by more than this share sees another surface; no sensor has so much noise. */
const ELSE = 0.12;
/** An area counts if at least this many of its pixels are valid in all three frames. */
const FEWEST_PIXELS = 60;
/** A camera is said to stand only if at least this many areas count. */
const FEWEST_AREAS = 40;
/**
 * The largest ratio, in a still scene, of the squared difference of frames two apart to that of frames one apart: noise alone gives 1,
 * steady motion gives 4.
 */
const STANDS = 1.5;
/** Above this ratio a camera's motion is larger than the noise, and the rest of the motion in second differences may look like a grain … */
const TELLS = 2;
/** … unless less than this is left: motion changes whole areas, so it only adds to the grain. */
const FINE = 1 / 3;
/**
 * The largest share of areas, in a still scene, whose mean changes twice in the same direction. Noise alone gives a third, since both
 * changes contain the middle frame with opposite signs. Motion as large as the noise of an area's mean gives more than this.
 */
const ONWARD = 0.45;
/** No sensor has more noise than this share of the depth: frames that differ by more show different scenes, or a camera that moves. */
export const MOST_NOISE = 0.02;
/** The median of estimates of a variance over their mean: estimates from one value each, and from two differences that share a frame. */
const [MEDIAN_OF_ONE, MEDIAN_OF_TWO] = [0.455, 0.61];

/** A band needs at least this many areas to count. */
const FEWEST_IN_BAND = 5;
/** The share of a band's areas that count: the areas that change least, since in others things may move or an edge may flicker. */
const CALM = 0.8;

/** The noise in three successive frames. */
export interface Areas {
  /** The noise by bands of distance. Contains motion where no grain is known. */
  readonly bands: readonly Band[];
  /** Whether most of what the camera sees stands still, so that differences between frames are noise. */
  readonly still: boolean;
  /**
   * The standard deviation of an area's mean over that of one pixel: 1/9 where noise is white, 1 where neighbours are alike. `undefined` if
   * the camera moves too much to tell.
   */
  readonly grain: number | undefined;
}

/**
 * Compares areas of 9 × 9 pixels in the first three frames. On a still surface the shape cancels: what is left is noise, of single pixels
 * and of the area's mean. Steady motion cancels in second differences, which tell the grain of a camera that moves. Returns `undefined` if
 * there are fewer than three frames of one size or too few valid pixels.
 */
export function areasOf([first, second, third]: readonly DepthFrame[]): Areas | undefined {
  if (!first || !second || !third) return undefined;
  const [a, b, c] = [first.depth.data, second.depth.data, third.depth.data];
  if (a.length !== b.length || b.length !== c.length) return undefined;
  const [height, width] = second.depth.shape;
  const bands = new Map<number, { depth: number; readonly standing: number[]; readonly moving: number[] }>();
  const unlike: number[] = [];
  const noises: number[] = [];
  const shares: number[] = [];
  const bent: number[] = [];
  let [onward, changed] = [0, 0];
  for (let top = 0; top + SIDE <= height; top += APART) {
    for (let left = 0; left + SIDE <= width; left += APART) {
      let [n, sum, ab, bc, ac, sumAb, sumBc, bends] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let y = top; y < top + SIDE; y++) {
        for (let i = y * width + left; i < y * width + left + SIDE; i++) {
          const [p, q, r] = [a[i], b[i], c[i]];
          const most = ELSE * q;
          if (p === 0 || q === 0 || r === 0 || Math.abs(q - p) > most || Math.abs(r - q) > most) continue;
          n++;
          sum += q;
          ab += (q - p) ** 2;
          bc += (r - q) ** 2;
          ac += (r - p) ** 2;
          sumAb += q - p;
          sumBc += r - q;
          bends += (p - 2 * q + r) ** 2;
        }
      }
      if (n < FEWEST_PIXELS) continue;
      const next = (ab + bc) / 2;
      const key = bandAt(sum / n);
      const band = bands.get(key) ?? { depth: 0, standing: [], moving: [] };
      if (band.standing.length === 0) bands.set(key, band);
      band.depth += sum / n;
      // A difference of two frames has the noise of both, and a second difference the noise of six.
      band.standing.push(next / (2 * n));
      band.moving.push(bends / (6 * n));
      noises.push(Math.sqrt(next / (2 * n)) / (sum / n));
      unlike.push(next === 0 ? 1 : ac / next);
      if (sumAb * sumBc !== 0) changed++;
      if (sumAb * sumBc > 0) onward++;
      if (next > 0) shares.push((sumAb ** 2 + sumBc ** 2) / (2 * n * next));
      if (bends > 0) bent.push((sumBc - sumAb) ** 2 / (n * bends));
    }
  }
  if (unlike.length < FEWEST_AREAS) return undefined;
  const ratio = median(unlike);
  const isOneScene = median(noises) <= MOST_NOISE;
  const still = isOneScene && ratio < STANDS && onward <= ONWARD * changed;
  const grain = still ? grainOf(shares, MEDIAN_OF_TWO) : grainOf(bent, MEDIAN_OF_ONE);
  return {
    bands: [...bands.values()].flatMap(({ depth, standing, moving }) => bandOf(depth, still ? standing : moving)),
    still,
    grain: isOneScene && (ratio < TELLS || grain < FINE) ? grain : undefined,
  };
}

const grainOf = (shares: readonly number[], overMean: number) =>
  shares.length === 0 ? 1 / SIDE : Math.min(1, Math.sqrt(median(shares) / overMean));

function bandOf(depth: number, variances: readonly number[]): Band[] {
  const all = variances.length;
  if (all < FEWEST_IN_BAND) return [];
  const calm = Float64Array.from(variances)
    .sort()
    .subarray(0, Math.ceil(CALM * all));
  const sigma = Math.sqrt(calm.reduce((sum, one) => sum + one, 0) / calm.length);
  return [{ depth: depth / all, sigma, count: all * SIDE * SIDE }];
}

const median = (values: readonly number[]) => Float64Array.from(values).sort()[values.length >> 1];
