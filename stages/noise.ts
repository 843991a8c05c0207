import type { DepthFrame } from "../sources/frame.ts";

/** A sensor's noise, sigma(z) = a + b·z². */
export interface SensorNoise {
  /** Millimetres. */
  readonly a: number;
  /** Millimetres per square metre. */
  readonly b: number;
  /** Nine tenths of what it was measured on is nearer than this, m. */
  readonly farM: number;
}

/** What frames tell of a sensor: its noise, and the step between the depths that it can tell. */
export interface Noise extends SensorNoise {
  sigmaMm(atM: number): number;
  /** How far two neighbouring depths are apart that both occur. */
  stepMm(atM: number): number;
  /** "noise 1.2 mm at 1 m, 11 mm at 3 m; step 2.9 mm at 1 m" */
  readonly text: string;
}

/** More than a stereo camera has, mm per m²: a thicket looks like noise, too. */
const MOST_GROWTH = 5;

/**
 * How a filter's sigma has to grow with the square of the distance, mm per m², so that it is `times` the noise at the far end of
 * what was measured, if it is `atHandMm` at hand; `least` if that is more, or nothing was measured.
 */
export function growthFor(noise: SensorNoise | undefined, times: number, atHandMm: number, least: number): number {
  if (!noise) return least;
  const square = noise.farM * noise.farM;
  const mm = times * Math.min(noise.a + noise.b * square, MOST_GROWTH * square);
  return Math.max(least, Number(((mm - atHandMm) / square).toFixed(2)));
}

/**
 * How far apart the three pixels are whose depths are compared. Noise has a grain: on a Kinect v1 neighbours are off together
 * (r = .62, .42, .29, .13 at 1, 2, 3, 5 px), and what they differ by tells half of it.
 */
const APART = 8;
/** Of rows and columns every fourth is looked at. */
const EVERY = 4;
/** Depths that differ by more than this share are on different surfaces. */
const SURFACE = 0.04;
/** Bands of depth, each so much farther than the one before. */
const WIDER = 1.15;
/** Differences in a band that is to count. */
const FEWEST = 200;
const CLIP = 3;
/** Of a normal distribution's variance, what is left within three sigma. */
const LEFT = 0.9733;

/** Something measured at a distance, from `count` pixels. */
interface Sample {
  readonly atM: number;
  readonly mm: number;
  readonly count: number;
}

/**
 * Finds the noise in frames of one recording: from what three pixels in a line, 8 apart, have less in common than a plane
 * would, and from what a pixel has changed from frame to frame; of the two, band by band of depth, the smaller, since texture
 * adds to the one and motion to the other. One frame will do; a few that follow one another are better.
 * `undefined` where too few pixels are valid.
 */
export function estimateNoise(frames: readonly DepthFrame[]): Noise | undefined {
  const [first] = frames;
  if (!first) return undefined;
  const mmPerUnit = first.metresPerUnit * 1000;
  const still = inBands((add) => {
    for (const [i, frame] of frames.entries()) changes(frames[i - 1], frame, add);
  });
  const flat = inBands((add) => {
    for (const frame of frames) bends(frame, add);
  });
  const stepMm = stepBetween(frames, first.metresPerUnit);
  const sigmas = [...flat].flatMap(([band, { depth, values }]) => {
    const count = values.length;
    if (count < FEWEST) return [];
    const moved = still.get(band)?.values ?? [];
    const units = moved.length < FEWEST ? spread(values) : Math.min(spread(values), spread(moved));
    const atM = (depth / count) * first.metresPerUnit;
    // What is rounded to steps is off by that much, also where it shows no change.
    return [{ atM, mm: Math.max(units * mmPerUnit, stepMm(atM) / Math.sqrt(12)), count }];
  });
  if (sigmas.length === 0) return undefined;
  const [a, b] = curveThrough(sigmas);
  const sigmaMm = (atM: number) => a + b * atM * atM;
  const [nearM, farM] = placesOf(sigmas);
  return { a, b, farM, sigmaMm, stepMm, text: textOf([...new Set([nearM, farM])], sigmaMm, stepMm) };
}

type Add = (depth: number, difference: number) => void;

/** Differences by band of depth, with the sum of the depths. */
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

/** What a pixel has changed since the frame before, as the noise of one. */
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

/** How far a pixel is off the line through two others, to each side of it, as the noise of one. Of a plane 1 / z is linear. */
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
 * The standard deviation of what is not outlying. Depth comes in steps, so that most differences may be 0 and their median
 * says nothing: this is the root mean square of all within three of itself, begun at the median absolute one.
 */
export function spread(values: readonly number[]): number {
  const sizes = Float64Array.from(values, Math.abs).sort();
  const squares = new Float64Array(sizes.length + 1);
  sizes.forEach((size, i) => {
    squares[i + 1] = squares[i] + size * size;
  });
  // Half of all within 0.67 sigma; where steps hide that, 84 % within 1.4.
  const within = (share: number, sigmas: number) => sizes[Math.floor(sizes.length * share)] / sigmas;
  let sigma = Math.max(within(0.5, 0.6745), within(0.7, 1.0364));
  // Where a step is several sigma, nine of ten may say the same.
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

/** How far two neighbouring depths are apart that both occur in images of one recording, in mm, at a distance. */
export function stepBetween(images: readonly Pick<DepthFrame, "depth">[], metresPerUnit: number) {
  const mmPerUnit = metresPerUnit * 1000;
  const found = stepsIn(images).map(({ atM, mm, count }) => ({ atM: atM * metresPerUnit, mm: mm * mmPerUnit, count }));
  const [unit, growth] = curveThrough(found);
  return (atM: number): number => Math.max(mmPerUnit, unit + growth * atM * atM);
}

/** The gaps between neighbouring depths that occur, the median of each band; distance and gap in units. */
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

/** a and b of a + b·z², neither below 0, with the least sum of relative errors (reweighted least squares), by the root of counts. */
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

/** The distances that a tenth of the pixels are nearer than, and nine tenths, m. */
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
  const told = (mm: number) => `${mm < 10 ? mm.toFixed(1) : Math.round(mm)} mm`;
  const noise = places.map((atM) => `${told(sigmaMm(atM))} at ${atM} m`).join(", ");
  return `noise ${noise}; step ${told(stepMm(places[0] ?? 1))} at ${places[0]} m`;
}
