import type { DepthFrame } from "../../sources/core/frame.ts";
import { areasOf, type Band } from "./areas.ts";

/** A sensor's noise: the standard deviation of depth at distance z is sigma(z) = a + b·z². */
export interface SensorNoise {
  /** Millimetres. */
  readonly a: number;
  /** Millimetres per square metre. */
  readonly b: number;
  /** 10 % of the measured pixels are nearer than this, in metres; `farM` if not given. */
  readonly nearM?: number | undefined;
  /** 90 % of the measured pixels are nearer than this, in metres. */
  readonly farM: number;
  /** 1 if the camera stood while noise was measured, 0 (or absent) if it moved: motion and texture may then be part of it. */
  readonly still?: number | undefined;
  /** The standard deviation of the mean of 9 × 9 pixels over that of one: 1/9 where noise is white, 1 where neighbours are alike. */
  readonly grain?: number | undefined;
  /** The growth of the step between depth values with the square of the distance, in mm per m²; 0 (or absent) where there is none. */
  readonly stepPerM2Mm?: number | undefined;
}

/** A sensor's noise and the step between the depth values that it can report. */
export interface Noise extends SensorNoise {
  /** The standard deviation of depth at a distance, mm. */
  sigmaMm(atM: number): number;
  /** The distance between two neighbouring depth values that both occur, at a distance. */
  stepMm(atM: number): number;
  readonly nearM: number;
  /** For people: "noise 1.2 mm at 1 m, 11 mm at 3 m; step 2.9 mm at 1 m" */
  readonly text: string;
}

/** The grain of noise that does not depend on neighbouring pixels. */
export const WHITE = 1 / 9;

/**
 * The three pixels that are compared lie in a line, this many pixels apart. The noise of a Kinect v1 correlates between near pixels
 * (r = .62, .42, .29, .13 at 1, 2, 3, 5 px), so direct neighbours would show only half of it.
 */
const APART = 8;
/** Only every fourth row and column is used. */
const EVERY = 4;
/** Depths that differ by more than this share lie on different surfaces. */
const SURFACE = 0.04;
/** Each band of depths reaches this much farther than the one before. */
const WIDER = 1.15;
/** A band needs at least this many differences to count. */
const FEWEST = 200;
/** If the far distance is less than this times the near one, the growth of noise with distance cannot be estimated. */
export const NARROW = 1.3;
const CLIP = 3;
/** The share of a normal distribution's variance that lies within three sigma. */
const LEFT = 0.9733;

/** A value in mm, measured at a distance from `count` pixels. */
interface Sample {
  readonly atM: number;
  readonly mm: number;
  readonly count: number;
}

/**
 * Estimates a sensor's noise from successive frames of one recording. From three frames of a camera that stands: by what changes in areas
 * that are still. Otherwise by two measures: how far three pixels in a line depart from a plane, and how much a pixel changes from frame to
 * frame. Texture raises the first and motion the second, so each band of depths takes the smaller; one frame is enough. Returns `undefined`
 * if too few pixels are valid.
 */
export function estimateNoise(frames: readonly DepthFrame[]): Noise | undefined {
  const [first] = frames;
  if (!first) return undefined;
  const mmPerUnit = first.metresPerUnit * 1000;
  const areas = areasOf(frames);
  const steps = stepBetween(areas?.still ? [first] : frames, first.metresPerUnit);
  const { stepMm } = steps;
  const sigmas = (areas?.still ? areas.bands : bandsOf(frames)).map(({ depth, sigma, count }): Sample => {
    const atM = depth * first.metresPerUnit;
    // Rounding to steps has an error of step / √12, even where no change shows.
    return { atM, mm: Math.max(sigma * mmPerUnit, stepMm(atM) / Math.sqrt(12)), count };
  });
  if (sigmas.length === 0) return undefined;
  const [nearM, farM] = placesOf(sigmas);
  const [a, b] = farM < NARROW * nearM ? usualThrough(sigmas) : curveThrough(sigmas);
  const sigmaMm = (atM: number) => a + b * atM * atM;
  const text = textOf([...new Set([nearM, farM])], sigmaMm, stepMm);
  const measured = { still: areas?.still ? 1 : 0, grain: areas?.grain ?? WHITE, stepPerM2Mm: steps.perM2Mm };
  return { a, b, nearM, farM, ...measured, sigmaMm, stepMm, text };
}

function bandsOf(frames: readonly DepthFrame[]): Band[] {
  const still = inBands((add) => {
    for (const [i, frame] of frames.entries()) changes(frames[i - 1], frame, add);
  });
  const flat = inBands((add) => {
    for (const frame of frames) bends(frame, add);
  });
  return [...flat].flatMap(([band, { depth, values }]) => {
    const count = values.length;
    if (count < FEWEST) return [];
    const moved = still.get(band)?.values ?? [];
    const sigma = moved.length < FEWEST ? spread(values) : Math.min(spread(values), spread(moved));
    return [{ depth: depth / count, sigma, count }];
  });
}

type Add = (depth: number, difference: number) => void;

/** Collects differences by band of depth, and the sum of the depths in each band. */
function inBands(fill: (add: Add) => void) {
  const bands = new Map<number, { depth: number; readonly values: number[] }>();
  fill((depth, difference) => {
    const key = Math.floor(Math.log(depth) / Math.log(WIDER));
    const band = bands.get(key) ?? { depth: 0, values: [] };
    if (band.values.length === 0) bands.set(key, band);
    band.depth += depth;
    band.values.push(difference);
  });
  return bands;
}

/** The change of each pixel since the frame before, scaled to the noise of one pixel. */
function changes(before: DepthFrame | undefined, { depth: { data, shape } }: DepthFrame, add: Add): void {
  if (before?.depth.data.length !== data.length) return;
  const [height, width] = shape;
  for (let y = 0; y < height; y += EVERY) {
    for (let i = y * width; i < (y + 1) * width; i += EVERY) {
      const [was, now] = [before.depth.data[i], data[i]];
      if (was > 0 && now > 0 && Math.abs(now - was) < SURFACE * now) add(now, (now - was) * Math.SQRT1_2);
    }
  }
}

/**
 * How far each pixel departs from the line through two others, one on each side, scaled to the noise of one pixel. On a plane, 1 / z is
 * linear in the image.
 */
function bends({ depth: { data, shape } }: DepthFrame, add: Add): void {
  const [height, width] = shape;
  const look = (i: number, apart: number) => {
    const z = data[i];
    for (const j of [i - apart, i - apart / 2, i + apart / 2, i + apart]) {
      if (Math.abs(data[j] - z) > SURFACE * z) return;
    }
    add(z, (z * z * (1 / data[i - apart] + 1 / data[i + apart] - 2 / z)) / Math.sqrt(6));
  };
  for (let y = APART; y < height - APART; y += EVERY) {
    for (let x = APART; x < width - APART; x += EVERY) {
      const i = y * width + x;
      if (data[i] === 0) continue;
      look(i, APART);
      look(i, APART * width);
    }
  }
}

/**
 * A standard deviation that ignores outliers. Depth comes in steps, so most differences may be 0 and the median absolute difference alone
 * is useless. The median only starts an iteration, whose fixed point is the root mean square of all values within three times itself.
 */
export function spread(values: readonly number[]): number {
  const sizes = Float64Array.from(values, Math.abs).sort();
  const squares = new Float64Array(sizes.length + 1);
  sizes.forEach((size, i) => {
    squares[i + 1] = squares[i] + size * size;
  });
  // Half of a normal distribution lies within 0.67 sigma, 70 % within 1.04.
  const within = (share: number, sigmas: number) => sizes[Math.floor(sizes.length * share)] / sigmas;
  let sigma = Math.max(within(0.5, 0.6745), within(0.7, 1.0364));
  // Where a step is several sigma, up to nine of ten differences may be 0.
  if (sigma === 0) sigma = within(0.9, 1.6449);
  for (let round = 0; round < 20; round++) {
    const kept = countUpTo(sizes, CLIP * sigma);
    sigma = Math.sqrt(squares[kept] / Math.max(1, kept) / LEFT);
  }
  return sigma;
}

function countUpTo(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The distance between neighbouring depth values that occur: in mm as a function of the distance in metres, and its growth with the squared
 * distance in mm per m².
 */
export function stepBetween(images: readonly Pick<DepthFrame, "depth">[], metresPerUnit: number) {
  const mmPerUnit = metresPerUnit * 1000;
  const found = stepsIn(images).map(({ atM, mm, count }) => ({ atM: atM * metresPerUnit, mm: mm * mmPerUnit, count }));
  const [unit, growth] = curveThrough(found);
  return { stepMm: (atM: number) => Math.max(mmPerUnit, unit + growth * atM * atM), perM2Mm: growth };
}

/** The median gap between neighbouring depth values that occur, per band; distance and gap in units of the frame. */
function stepsIn(frames: readonly Pick<DepthFrame, "depth">[]): Sample[] {
  const counts = new Uint32Array(65536);
  for (const { depth } of frames) for (const value of depth.data) counts[value]++;
  const bands = inBands((add) => {
    let last = 0;
    for (let depth = 1; depth < 65536; depth++) {
      if (counts[depth] < 3 * frames.length) continue;
      if (last > 0 && depth - last < SURFACE * depth) add(depth, depth - last);
      last = depth;
    }
  });
  return [...bands.values()]
    .filter(({ values }) => values.length > 2)
    .map(({ depth, values }) => {
      const sorted = values.toSorted((p, q) => p - q);
      return { atM: depth / values.length, mm: sorted[sorted.length >> 1], count: values.length };
    });
}

/** Fits a + b·z² with a, b ≥ 0 to the samples: least sum of relative errors by iteratively reweighted least squares, weighted by √count. */
function curveThrough(samples: readonly Sample[]): [a: number, b: number] {
  let [a, b] = [0, 0];
  for (let round = 0; round < 30; round++) {
    let [w, wx, wxx, wy, wxy] = [0, 0, 0, 0, 0];
    for (const { atM, mm, count } of samples) {
      const x = atM * atM;
      const off = round === 0 ? 1 : Math.max(0.02, Math.abs(a + b * x - mm) / mm);
      const weight = Math.sqrt(count) / (mm * mm * off);
      w += weight;
      wx += weight * x;
      wxx += weight * x * x;
      wy += weight * mm;
      wxy += weight * x * mm;
    }
    const determinant = w * wxx - wx * wx;
    b = determinant > 1e-9 * w * wxx ? (w * wxy - wx * wy) / determinant : 0;
    if (b < 0) b = 0;
    a = (wy - b * wx) / (w || 1);
    if (a < 0) [a, b] = [0, wxy / wxx];
  }
  return [a, b];
}

/**
 * The curve c · (1 + z²) through the samples, which is typical of sensors, for samples whose distances are too similar to tell a from b.
 */
function usualThrough(samples: readonly Sample[]): [a: number, b: number] {
  const [sum, weight] = samples.reduce(
    ([s, w], { atM, mm, count }) => [s + (count * mm) / (1 + atM * atM), w + count],
    [0, 0],
  );
  return [sum / weight, sum / weight];
}

/** The distances in metres below which a tenth and nine tenths of the pixels lie. */
function placesOf(samples: readonly Sample[]): [nearM: number, farM: number] {
  const sorted = samples.toSorted((p, q) => p.atM - q.atM);
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  const at = (share: number) => {
    let seen = 0;
    const found =
      sorted.find(({ count }) => {
        seen += count;
        return seen >= share * all;
      })?.atM ?? 1;
    return found < 1 ? Math.max(0.1, Math.round(found * 10) / 10) : Math.round(found * 2) / 2;
  };
  return [at(0.1), at(0.9)];
}

function textOf(places: readonly number[], sigmaMm: Noise["sigmaMm"], stepMm: Noise["stepMm"]): string {
  const inWords = (mm: number) => `${mm < 9.95 ? mm.toFixed(1) : Math.round(mm)} mm`;
  const noise = places.map((atM) => `${inWords(sigmaMm(atM))} at ${atM} m`).join(", ");
  return `noise ${noise}; step ${inWords(stepMm(places[0] ?? 1))} at ${places[0]} m`;
}
