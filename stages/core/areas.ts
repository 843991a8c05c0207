import type { DepthFrame, Intrinsics } from "../../core/frame.ts";
import { type Band, bandAt } from "./depthBands.ts";
import { type Patch, withoutMotion } from "./rangeFlow.ts";

/** The side of an area in pixels. The stage temporal averages changes over areas of the same size. */
const SIDE = 9;
/** The distance between the centres of two areas that are looked at, in pixels. */
const APART = 16;
/** A pixel whose depth changes by more than this share sees another surface; no sensor has so much noise. */
const OTHER_SURFACE = 0.12;
/** An area counts if at least this many of its pixels are valid in all three frames. */
const FEWEST_PIXELS = 60;
/** Fewer areas than this tell neither noise nor whether the camera stands. */
const FEWEST_AREAS = 40;
/**
 * The largest ratio, in a still scene, of the squared difference of frames two apart to that of frames one apart: noise alone gives 1,
 * steady motion gives 4.
 */
const STANDS = 1.5;
/**
 * Below this ratio second differences tell the grain. Above it the camera's motion is larger than the noise, and what is left of the motion
 * in second differences may look like a grain.
 */
const TELLS = 2;
/**
 * If at least this share of the image's areas counts, the grain is also told where the ratio is below TELLS once a rigid motion is taken
 * out.
 */
const WHOLE = 1 / 3;
/** A grain below this is told at any ratio: motion changes whole areas, so motion only makes a grain larger. */
const FINE = 1 / 3;
/**
 * The largest share of areas, in a still scene, whose mean changes twice in the same direction. Noise alone gives a third, since both
 * changes contain the middle frame with opposite signs. Motion as large as the noise of an area's mean gives more than this.
 */
const ONWARD = 0.45;
/** No sensor has more noise than this share of the depth: frames that differ by more show different scenes, or a camera that moves. */
export const MOST_NOISE = 0.02;
/** The median of estimates of a variance, divided by their mean: of estimates from one value each, then of those from two differences. */
const MEDIAN_OF_ONE = 0.455;
const MEDIAN_OF_TWO = 0.61;

/** A band needs at least this many areas to count. */
const FEWEST_IN_BAND = 5;
/** The share of a band's areas that count: the areas that change least, since in others things may move or an edge may flicker. */
const CALM = 0.8;
/**
 * How much less variance these have than all of a still scene, over the grain: noise alone makes some areas calmer than others, the more so
 * the coarser the noise, because an area's variance is the mean of about 3.2 / grain² independent values (docs/lab/noise.md).
 */
const CALMER = 0.31;

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
  /** The noise that `bands` tell, divided by the noise of all areas: below 1 in a still scene, where the calmest areas are chosen. */
  readonly calm: number;
}

/** An area of 9 × 9 pixels in three frames, in units of depth: what its pixels and their mean did. */
interface Area extends Patch {
  /** The pixels that are valid in all three frames. */
  readonly pixels: number;
  /** The mean of the squared differences of frames one apart, and that of frames two apart, summed over pixels. */
  readonly next: number;
  readonly overTwo: number;
  /** The squared second differences, summed over pixels. */
  readonly bends: number;
  /** The change of the mean from the first frame to the second, and from there to the third. */
  readonly before: number;
  readonly after: number;
}

/**
 * Compares areas of 9 × 9 pixels in the first three frames. On a still surface the shape cancels: what is left is noise, of single pixels
 * and of the area's mean. If the camera moves, the effect of a rigid motion on the areas is taken out (rangeFlow.ts), and second
 * differences tell the noise. Returns `undefined` if there are fewer than three frames of one size or too few areas with valid pixels.
 */
export function areasOf([first, second, third]: readonly DepthFrame[]): Areas | undefined {
  if (!first || !second || !third) return undefined;
  const [a, b, c] = [first.depth.data, second.depth.data, third.depth.data];
  if (a.length !== b.length || b.length !== c.length) return undefined;
  const [height, width] = second.depth.shape;
  const areas: Area[] = [];
  for (let top = 0; top + SIDE <= height; top += APART) {
    for (let left = 0; left + SIDE <= width; left += APART) {
      const area = areaAt(a, b, c, width, left, top);
      if (area) areas.push(area);
    }
  }
  if (areas.length < FEWEST_AREAS) return undefined;
  const isOneScene =
    median(areas.map(({ next, pixels, depth }) => Math.sqrt(next / (2 * pixels)) / depth)) <= MOST_NOISE;
  const ratio = median(areas.map(({ overTwo, next }) => (next === 0 ? 1 : overTwo / next)));
  const changed = areas.filter(({ before, after }) => before * after !== 0);
  const onward = changed.filter(({ before, after }) => before * after > 0);
  if (isOneScene && ratio < STANDS && onward.length <= ONWARD * changed.length) return standing(areas);
  const isWhole = areas.length >= WHOLE * Math.floor(width / APART) * Math.floor(height / APART);
  const { bands, grain, ratioLeft } = moving(areas, second.intrinsics);
  const tells = ratio < TELLS || grain < FINE || (isWhole && ratioLeft < TELLS);
  return { bands, still: false, grain: isOneScene && tells ? grain : undefined, calm: 1 };
}

/** The noise of a camera that stands: a difference of two frames has the noise of both. */
function standing(areas: readonly Area[]): Areas {
  const shares = areas.flatMap(({ before, after, pixels, next }) =>
    next > 0 ? [(pixels * (before ** 2 + after ** 2)) / (2 * next)] : [],
  );
  const bands = bandsOf(areas, ({ next, pixels }) => next / (2 * pixels));
  const grain = grainOf(shares, MEDIAN_OF_TWO);
  return { bands, still: true, grain, calm: Math.sqrt(1 - CALMER * grain) };
}

/**
 * The noise of a camera that moves, from second differences, which have the noise of six frames. `ratioLeft` is the ratio that STANDS and
 * TELLS are about, once a rigid motion is taken out.
 */
function moving(areas: readonly Area[], lens: Intrinsics) {
  const rest = withoutMotion(areas, lens);
  const before = rest(areas.map((area) => area.before));
  const after = rest(areas.map((area) => area.after));
  const bent = areas.map((area, k) => {
    const bend = after[k] - before[k];
    const bends = Math.max(0, area.bends + area.pixels * (bend ** 2 - (area.after - area.before) ** 2));
    return { ...area, bend, bends };
  });
  const shares = bent.flatMap(({ pixels, bend, bends }) => (bends > 0 ? [(pixels * bend ** 2) / bends] : []));
  const ratioLeft = median(before.map((one, k) => (2 * (one + after[k]) ** 2) / (one ** 2 + after[k] ** 2 || 1)));
  return {
    bands: bandsOf(bent, ({ bends, pixels }) => bends / (6 * pixels)),
    grain: grainOf(shares, MEDIAN_OF_ONE),
    ratioLeft,
  };
}

type Depths = ArrayLike<number>;

function areaAt(a: Depths, b: Depths, c: Depths, width: number, left: number, top: number): Area | undefined {
  let [pixels, sum, ab, bc, overTwo, sumAb, sumBc, bends] = [0, 0, 0, 0, 0, 0, 0, 0];
  let [sumX, sumY, sumXq, sumYq] = [0, 0, 0, 0];
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const i = (top + y) * width + left + x;
      const p = a[i];
      const q = b[i];
      const r = c[i];
      const most = OTHER_SURFACE * q;
      if (p === 0 || q === 0 || r === 0 || Math.abs(q - p) > most || Math.abs(r - q) > most) continue;
      pixels++;
      sum += q;
      sumX += x;
      sumY += y;
      sumXq += x * q;
      sumYq += y * q;
      ab += (q - p) ** 2;
      bc += (r - q) ** 2;
      overTwo += (r - p) ** 2;
      sumAb += q - p;
      sumBc += r - q;
      bends += (p - 2 * q + r) ** 2;
    }
  }
  if (pixels < FEWEST_PIXELS) return undefined;
  const depth = sum / pixels;
  // The sum over the pixels of their squared distance from the area's middle column (or row), as if all pixels were valid.
  const spread = (pixels * (SIDE ** 2 - 1)) / 12;
  const [right, down] = [(sumXq - depth * sumX) / spread, (sumYq - depth * sumY) / spread];
  const [u, v] = [left + sumX / pixels, top + sumY / pixels];
  const next = (ab + bc) / 2;
  return { u, v, depth, right, down, pixels, next, overTwo, bends, before: sumAb / pixels, after: sumBc / pixels };
}

const grainOf = (shares: readonly number[], overMean: number) =>
  shares.length === 0 ? 1 / SIDE : Math.min(1, Math.sqrt(median(shares) / overMean));

function bandsOf(areas: readonly Area[], varianceOf: (area: Area) => number): Band[] {
  const bands = new Map<number, Area[]>();
  for (const area of areas) {
    const key = bandAt(area.depth);
    const band = bands.get(key);
    if (band) band.push(area);
    else bands.set(key, [area]);
  }
  return [...bands.values()].flatMap((band) => {
    if (band.length < FEWEST_IN_BAND) return [];
    const calm = Float64Array.from(band, varianceOf)
      .sort()
      .subarray(0, Math.ceil(CALM * band.length));
    const sigma = Math.sqrt(calm.reduce((sum, one) => sum + one, 0) / calm.length);
    const depth = band.reduce((sum, area) => sum + area.depth, 0) / band.length;
    return [{ depth, sigma, count: band.length * SIDE * SIDE }];
  });
}

const median = (values: readonly number[]) => Float64Array.from(values).sort()[values.length >> 1];
