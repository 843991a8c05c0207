import type { ColorArray, DepthArray } from "../../core/frame.ts";
import { type CameraPose, POSE_STATE, POSE_STATES } from "../../stages/core/pose.ts";
import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/core/stage.ts";

/**
 * How far kernels and twin may differ where tuner, bench and tests compare points and pictures. (For depth see `Stage.depthTolerance`.)
 * Both take the same steps in the same order, but a GPU may fuse multiply and add, its division is accurate to 2.5 ulp and its pow to about
 * 16. So a splat's place differs by up to 1e-5 px, and two distances that differ by a rounding may swap. Colours then differ by a step or
 * two of 255. Colours differ more where a splat just fills a pixel or a neighbour just lies on the same surface. So does the distance of a
 * pixel whose coverage is almost exactly 0.49. These are few pixels, which `share` allows.
 */
export const TOLERANCES = {
  /**
   * For x and y of a point, as a share of its distance: a driver may multiply (u - cx) / fx out and fuse it, and NVIDIA's does. z and the
   * order must be equal. Seen by a camera with a focal length of 500 px, this is a thousandth of a pixel.
   */
  position: 2e-6,
  /** For the numbers of a camera's pose: lengths in metres, the numbers of a turn, and the share of partners. */
  pose: 1e-4,
  /** The tolerance of each channel of a picture's colour, in steps of 255. */
  steps: 2,
  /** For the distances of a picture, as shares of the distances. */
  distance: 1e-5,
  /** For depth from a memory that was carried into another view, in units. */
  carried: 1,
  /** The share of an image's pixels that may differ by more. */
  share: 0.001,
} as const;

/**
 * Describes how the output of a stage's kernels (`found`) differs from its twin's (`expected`) for the same input; empty if it does not.
 * Depth may differ by `stage.depthTolerance` units, but a valid pixel must be valid in both. If the camera moved, the depth of a stage that
 * remembers may differ by `carried` units, and in a few pixels by more. Raw depth and depth to show may not differ, nor may colour, if
 * `colorTolerance` is 0.
 */
export function differencesOf(
  {
    name,
    depthTolerance,
    colorTolerance,
    remembers,
  }: Pick<Stage, "name" | "depthTolerance" | "colorTolerance" | "remembers">,
  expected: CpuFrame,
  found: CpuFrame,
  output: BuiltStage["output"],
): string[] {
  // A memory that was carried into another view is interpolated, in f32.
  const isCarried = remembers && expected.pose?.state === POSE_STATE.moved;
  const tolerance = isCarried ? Math.max(TOLERANCES.carried, depthTolerance) : depthTolerance;
  const allowed = isCarried ? TOLERANCES.share * expected.depth.data.length : 0;
  const differences = [
    output.depth && depthDifference("depth", expected.depth, found.depth, tolerance, allowed),
    output.raw && depthDifference("raw depth", expected.raw, found.raw),
    output.shown && depthDifference("depth to show", expected.shown, found.shown),
    output.color && colorDifference(expected.color, found.color, colorTolerance),
    output.pose && poseDifference(expected.pose, found.pose),
    output.points && pointDifference(expected.points, found.points),
    output.picture && pictureDifference(expected.picture, found.picture),
  ];
  return differences.flatMap((difference) => (difference ? [`${name}: ${difference}`] : []));
}

function depthDifference(
  name: string,
  expected: DepthArray | undefined,
  found: DepthArray | undefined,
  tolerance = 0,
  allowed = 0,
) {
  if (!expected || !found) return `there is no ${name}`;
  const [{ length }, width] = [expected.data, expected.shape[1]];
  let wrong = 0;
  let first = "";
  for (let i = 0; i < length; i++) {
    const [a, b] = [expected.data[i], found.data[i]];
    if (a === b || (a !== 0 && b !== 0 && Math.abs(a - b) <= tolerance)) continue;
    if (wrong++ === 0) first = `the first at (${i % width}, ${Math.floor(i / width)}): ${b}, not ${a}`;
  }
  return wrong > allowed ? `${wrong} of ${length} pixels of ${name} differ from the twin's, ${first}` : undefined;
}

function poseDifference(expected: CameraPose | undefined, found: CameraPose | undefined): string | undefined {
  if (!expected || !found) return "there is no pose";
  if (expected.state !== found.state) {
    return `the camera is ${POSE_STATES[found.state]}, not ${POSE_STATES[expected.state]}`;
  }
  const other = (["held", "recorded", "anew"] as const).find((name) => expected[name] !== found[name]);
  if (other) return `${other} of the camera's pose is ${found[other]}, not ${expected[other]}`;
  const numbersOf = (pose: CameraPose) => [...pose.toWorld, ...pose.toBefore, pose.partners, pose.uncertaintyM];
  const numbers = numbersOf(found);
  const most = Math.max(...numbersOf(expected).map((value, i) => Math.abs(value - numbers[i])));
  return most <= TOLERANCES.pose ? undefined : `the camera's pose is ${most.toPrecision(2)} from the twin's`;
}

/** Describes how two lists of points differ; `undefined` if they agree within `TOLERANCES`. */
export function pointDifference(expected: CpuPoints | undefined, found: CpuPoints | undefined): string | undefined {
  if (!expected || !found) return "there are no points";
  if (expected.count !== found.count) return `${found.count} points, not ${expected.count}`;
  let wrong = 0;
  let first = "";
  const at = ({ floats, words }: CpuPoints, i: number) =>
    `(${[...floats.subarray(i, i + 3)].map((place) => place.toPrecision(7)).join(", ")}; ${words[i + 3].toString(16)})`;
  for (let i = 0; i < expected.count * 4; i += 4) {
    const z = expected.floats[i + 2];
    const near = (k: number) => {
      const [a, b] = [expected.floats[k], found.floats[k]];
      return Math.abs(a - b) <= TOLERANCES.position * (z + Math.abs(a));
    };
    if (near(i) && near(i + 1) && z === found.floats[i + 2] && expected.words[i + 3] === found.words[i + 3]) continue;
    if (wrong++ === 0) first = `the first is ${i / 4}: ${at(found, i)}, not ${at(expected, i)}`;
  }
  return wrong > 0 ? `${wrong} of ${expected.count} points differ from the twin's, ${first}` : undefined;
}

/**
 * Describes how the colours of two images differ; `undefined` if they agree. All pixels have to agree where the `tolerance` (in steps of
 * 255) is 0, else all but a share of them.
 */
export function colorDifference(
  expected: ColorArray | undefined,
  found: ColorArray | undefined,
  tolerance: number,
): string | undefined {
  if (!expected || !found) return "there is no colour";
  const [height, width] = expected.shape;
  return farColours(
    expected.data,
    found.data,
    new Off(width, height, tolerance === 0 ? 0 : TOLERANCES.share),
    tolerance,
  );
}

/** Describes how two pictures differ; `undefined` if they agree within `TOLERANCES`. */
export function pictureDifference(expected: CpuPicture | undefined, found: CpuPicture | undefined): string | undefined {
  if (!expected || !found) return "there is no picture";
  const { width, height } = expected;
  if (found.width !== width || found.height !== height) return "the picture is of another size";
  const [distances, drawn] = [new Off(width, height), new Off(width, height)];
  expected.depth.forEach((a, pixel) => {
    const b = found.depth[pixel];
    if (!(Math.abs(a - b) <= TOLERANCES.distance * a)) distances.add(pixel);
    if (a > 0 !== b > 0) drawn.add(pixel);
  });
  const differences = [
    farColours(expected.rgba, found.rgba, new Off(width, height)),
    distances.describe("have another distance than the twin's"),
    drawn.describe("are drawn by only one of the two"),
  ];
  return differences.filter(Boolean).join("; ") || undefined;
}

/** Collects in `off` and describes the pixels of which a channel differs by more than `tolerance`. */
function farColours(
  expected: ArrayLike<number>,
  found: ArrayLike<number>,
  off: Off,
  tolerance: number = TOLERANCES.steps,
) {
  for (let p = 0; p < expected.length; p += 4) {
    let most = 0;
    for (let c = p; c < p + 4; c++) most = Math.max(most, Math.abs(expected[c] - (found[c] ?? Number.NaN)));
    if (!(most <= tolerance)) off.add(p / 4);
  }
  return off.describe("have another colour than the twin's");
}

/** Collects the pixels that differ: how many, and their bounding box. */
class Off {
  #count = 0;
  readonly #from = [Infinity, Infinity];
  readonly #to = [0, 0];

  constructor(
    readonly width: number,
    readonly height: number,
    readonly share: number = TOLERANCES.share,
  ) {}

  add(pixel: number): void {
    this.#count++;
    for (const [i, at] of [pixel % this.width, Math.floor(pixel / this.width)].entries()) {
      this.#from[i] = Math.min(this.#from[i], at);
      this.#to[i] = Math.max(this.#to[i], at);
    }
  }

  /** Describes the pixels if there are more than `share` allows. */
  describe(what: string): string | undefined {
    const pixels = this.width * this.height;
    if (!(this.#count > this.share * pixels)) return undefined;
    const [x, y] = this.#from.map((from, i) => `${from}…${this.#to[i]}`);
    return `${this.#count} of ${pixels} pixels ${what}, in x ${x}, y ${y}`;
  }
}
