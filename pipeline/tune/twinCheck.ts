import type { ColorArray } from "../../sources/frame.ts";
import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/stage.ts";

/**
 * How far kernels and twin may be apart, wherever they are compared: by the tuner, the bench and the tests. (For depth each stage
 * says it itself.) Both follow the same steps in the same order, but a GPU may fuse multiply and add, its division is good to
 * 2.5 ulp and its pow to some 16, so that a splat's place differs by 1e-5 px and two distances a rounding apart may swap. That
 * moves colours by a step or two of 255, by more only where a splat more or less fills a pixel or a neighbour is just on the same
 * surface, and moves the distance of a pixel that is covered by 0.49 almost exactly.
 */
export const TOLERANCES = {
  /** x and y of a point, as a share of its distance: products of floats, which a GPU may contract. z and order are exact. */
  position: 1e-5,
  /** Of 255, for each channel of a colour. */
  steps: 2,
  /** Of a picture's distance. */
  distance: 1e-5,
  /** Of an image's pixels that may be farther off than that. */
  share: 0.001,
} as const;

/**
 * What a stage's kernels left that is not what its twin left for the same input, in words; nothing if all is right. Depth may
 * be `stage.depthTolerance` units off; valid stays valid and invalid stays invalid in any case.
 */
export function differencesOf(
  { name, depthTolerance }: Pick<Stage, "name" | "depthTolerance">,
  expected: CpuFrame,
  found: CpuFrame,
  output: BuiltStage["output"],
): string[] {
  const width = expected.depth.shape[1];
  const said = [
    output.depth && depthDifference(expected.depth.data, found.depth.data, width, depthTolerance),
    output.color && colorDifference(expected.color, found.color),
    output.points && pointDifference(expected.points, found.points),
    output.picture && pictureDifference(expected.picture, found.picture),
  ];
  return said.flatMap((difference) => (difference ? [`${name}: ${difference}`] : []));
}

function depthDifference(expected: Uint16Array, found: Uint16Array, width: number, tolerance: number) {
  let wrong = 0;
  let first = "";
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [expected[i], found[i]];
    if (a === b || (a !== 0 && b !== 0 && Math.abs(a - b) <= tolerance)) continue;
    if (wrong++ === 0) first = `the first at (${i % width}, ${Math.floor(i / width)}): ${b}, not ${a}`;
  }
  return wrong > 0 ? `${wrong} of ${expected.length} pixels differ from the twin's, ${first}` : undefined;
}

/** What is not as it should be in a list of points, in words. */
export function pointDifference(expected: CpuPoints | undefined, found: CpuPoints | undefined): string | undefined {
  if (!expected || !found) return "there are no points";
  if (expected.count !== found.count) return `${found.count} points, not ${expected.count}`;
  let [wrong, first] = [0, 0];
  for (let i = 0; i < expected.count * 4; i += 4) {
    const z = expected.floats[i + 2];
    const near = (k: number) => {
      const [a, b] = [expected.floats[k], found.floats[k]];
      return Math.abs(a - b) <= TOLERANCES.position * (z + Math.abs(a));
    };
    if (near(i) && near(i + 1) && z === found.floats[i + 2] && expected.words[i + 3] === found.words[i + 3]) continue;
    if (wrong++ === 0) first = i / 4;
  }
  return wrong > 0 ? `${wrong} of ${expected.count} points differ from the twin's, the first is ${first}` : undefined;
}

/** What is not as it should be in the colours of an image, in words. */
export function colorDifference(expected: ColorArray | undefined, found: ColorArray | undefined): string | undefined {
  if (!expected || !found) return "there is no colour";
  const [height, width] = expected.shape;
  return farColours(expected.data, found.data, width, height);
}

/** What is not as it should be in a picture, in words. */
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
  const said = [
    farColours(expected.rgba, found.rgba, width, height),
    distances.said("have another distance than the twin's"),
    drawn.said("are drawn by only one"),
  ];
  return said.filter(Boolean).join("; ") || undefined;
}

/** Says of which pixels a channel is off by more than the steps allowed. */
function farColours(expected: ArrayLike<number>, found: ArrayLike<number>, width: number, height: number) {
  const off = new Off(width, height);
  for (let p = 0; p < expected.length; p += 4) {
    let most = 0;
    for (let c = p; c < p + 4; c++) most = Math.max(most, Math.abs(expected[c] - (found[c] ?? Number.NaN)));
    if (!(most <= TOLERANCES.steps)) off.add(p / 4);
  }
  return off.said("have another colour than the twin's");
}

/** Pixels of an image that are off: how many, and the part of it that they are in. */
class Off {
  #count = 0;
  readonly #from = [Infinity, Infinity];
  readonly #to = [0, 0];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  add(pixel: number): void {
    this.#count++;
    for (const [i, at] of [pixel % this.width, Math.floor(pixel / this.width)].entries()) {
      this.#from[i] = Math.min(this.#from[i], at);
      this.#to[i] = Math.max(this.#to[i], at);
    }
  }

  /** In words, if there are more than may be. */
  said(what: string): string | undefined {
    const pixels = this.width * this.height;
    if (!(this.#count > TOLERANCES.share * pixels)) return undefined;
    const [x, y] = this.#from.map((from, i) => `${from}…${this.#to[i]}`);
    return `${this.#count} of ${pixels} pixels ${what}, in x ${x}, y ${y}`;
  }
}
