import ndarray from "ndarray";
import { AGAIN } from "../../../stages/moment.ts";
import type { CpuFrame, Stage } from "../../../stages/stage.ts";
import type { Case } from "../cases.ts";
import { type Input, type Spread, spreadOf } from "../types.ts";
import { bytesMoved, same } from "./check.ts";
import type { Effort } from "./gpu.ts";

/** Times the twins of a case, one after the other on this thread. `checked`: the last run gave what the first did. */
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
    // Twins keep their outputs from run to run: what is needed of `before` is copied.
    for (const twin of prepare) twin.run(frame, AGAIN);
    return copyOf(frame);
  });
  const run = (i: number): CpuFrame => {
    const frame = { ...(frames[i % frames.length] as CpuFrame) };
    for (const twin of work) twin.run(frame, AGAIN);
    return frame;
  };
  const first = copyOf(run(0));
  let bytes = 0;
  const frame = { ...(frames[0] as CpuFrame) };
  for (const twin of work) {
    const given = { ...frame };
    twin.run(frame, AGAIN);
    bytes += bytesMoved(given, frame);
  }
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
  return { ...spreadOf(micros), checked: same(first, run(0)), bytes };
}

/** A frame of the CPU's as a source would give it. */
export function frameOf(image: Uint16Array, width: number): CpuFrame {
  const depth = ndarray(image as Uint16Array<ArrayBuffer>, [image.length / width, width]);
  return { depth, color: undefined, points: undefined, picture: undefined };
}

/** The frame with arrays of its own. */
export function copyOf({ depth, color, points, picture }: CpuFrame): CpuFrame {
  const floats = points?.floats.slice();
  return {
    depth: ndarray(depth.data.slice(), depth.shape),
    color,
    points: points && floats && { floats, words: new Uint32Array(floats.buffer), count: points.count },
    picture: picture && { ...picture, rgba: picture.rgba.slice(), depth: picture.depth.slice() },
  };
}
