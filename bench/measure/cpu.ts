import { image } from "../../core/array.ts";
import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame, Stage } from "../../stages/core/stage.ts";
import type { Case } from "../cases.ts";
import { type Input, type Spread, spreadOf } from "../types.ts";
import { bytesMoved, same } from "./check.ts";
import { Film, HISTORY } from "./film.ts";
import type { Effort } from "./stopwatch.ts";

/**
 * Times a case's CPU twins one after the other, over the frames of a film. `checked` says whether their last results equal their first
 * ones. Twins with a memory are compared after as many frames as they had seen before timing.
 */
export function timeOnCpu(
  { before, timed }: Case,
  input: Input,
  { trials, budgetMs }: Effort,
): Spread & { readonly checked: boolean; readonly bytes: number } {
  const { images } = input;
  let { shape } = input;
  const twins = (stages: readonly Stage[]) =>
    stages.map((stage) => {
      const twin = stage.twin(shape);
      shape = stage.leaves(shape);
      return twin;
    });
  const [prepare, work] = [twins(before), twins(timed)];
  const frames = images.map((image) => {
    const frame = frameOf(image, input.shape.intrinsics.width);
    // Twins reuse their outputs in every run, so those needed of `before` are copied.
    for (const twin of prepare) twin.run(frame, AGAIN);
    return copyOf(frame);
  });
  const film = new Film();
  const run = (i: number, each?: (given: CpuFrame, left: CpuFrame) => void): CpuFrame => {
    const frame = { ...(frames[i % frames.length] as CpuFrame) };
    const context = film.next();
    for (const twin of work) {
      const given = each && { ...frame };
      twin.run(frame, context);
      if (given) each?.(given, frame);
    }
    return frame;
  };
  const history = timed.some(({ remembers }) => remembers) ? HISTORY : 0;
  const fromAnew = (): CpuFrame => {
    film.cut();
    for (let i = 0; i < history; i++) run(i);
    return run(history);
  };
  const first = copyOf(fromAnew());
  let bytes = 0;
  run(0, (given, left) => {
    bytes += bytesMoved(given, left);
  });
  const begin = performance.now();
  for (let i = 0; i < 20 && performance.now() - begin < budgetMs / 4; i++) run(i);
  const micros: number[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const start = performance.now();
    run(trial);
    micros.push((performance.now() - start) * 1000);
    const spent = performance.now() - begin;
    if (spent > budgetMs && (micros.length >= 3 || spent > 4 * budgetMs)) break;
  }
  const checked = same(first, fromAnew());
  for (const twin of [...prepare, ...work]) twin.destroy?.();
  return { ...spreadOf(micros), checked, bytes };
}

/** The CPU frame in the form of a source's frame. */
export function frameOf(pixels: Uint16Array, width: number): CpuFrame {
  const depth = image(pixels as Uint16Array<ArrayBuffer>, [pixels.length / width, width]);
  return { depth, color: undefined, points: undefined, picture: undefined };
}

/** The frame with arrays of its own. */
function copyOf({ depth, color, points, picture }: CpuFrame): CpuFrame {
  const floats = points?.floats.slice();
  return {
    depth: image(depth.data.slice(), depth.shape),
    color,
    points: points && floats && { floats, words: new Uint32Array(floats.buffer), count: points.count },
    picture: picture && { ...picture, rgba: picture.rgba.slice(), depth: picture.depth.slice() },
  };
}
