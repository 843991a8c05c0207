import { signalRule, untilAborted } from "../../core/abort.ts";
import { callable, checkArgument, checkOptions, type Rule } from "../../core/check.ts";
import { framesRule } from "../../core/checkFrame.ts";
import type { DepthFrame } from "../../core/frame.ts";
import type { Alignment, RigFacts } from "./align.ts";
import { RigCamera } from "./rig.ts";
import { solveAside } from "./thread.ts";

/** How cameras are aligned. */
export interface AlignOptions extends RigFacts {
  /** Aborting it ends the search, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** `align` calls this function as its search goes on: `done` of at most `of` steps are done. A step takes one camera, or one pair. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

const rigRule: Rule = {
  expects: "a list with the frames of each camera, or its RigCamera",
  holds: (value) =>
    Array.isArray(value) && value.every((camera) => camera instanceof RigCamera || framesRule.holds(camera)),
};

const RULES: Readonly<Record<keyof AlignOptions, Rule>> = {
  signal: signalRule,
  onProgress: callable,
  tagSizeMm: { expects: "a number above 0", holds: (value) => Number(value) > 0 && Number.isFinite(value) },
  starts: {
    expects: "a list of six numbers or undefined for each camera but the first",
    holds: (value) =>
      Array.isArray(value) &&
      value.every((one) => one === undefined || (Array.isArray(one) && one.length === 6 && one.every(Number.isFinite))),
  },
};

/**
 * Tells where the cameras of a rig stand, from the first one, by the depth that they have in common, and how their clocks differ, by what
 * moves before them. The cameras stand; each sees something in common with one of those before or after it, not only a wall. A reading
 * that cannot be told says why. `align` works on a thread of its own; where none is allowed, it works on the calling thread, and lets other
 * work happen between two pairs of cameras.
 * Rejects with an `OptionError` for a wrong option.
 *
 * @example
 * const { cameras: [, second] } = await align([framesOfA, framesOfB]);
 * console.log(second.toFirst, second.place[0].plusMinus); // 3 × 4, mm
 */
export async function align(
  cameras: readonly (readonly DepthFrame[] | RigCamera)[],
  options: AlignOptions = {},
): Promise<Alignment> {
  checkArgument("align", "the cameras", rigRule, cameras);
  checkOptions("align", options, RULES);
  const { signal, onProgress = () => {}, ...facts } = options;
  signal?.throwIfAborted();
  const pause = pauses(signal);
  const rig: RigCamera[] = [];
  for (const camera of cameras) {
    const own = camera instanceof RigCamera ? camera : new RigCamera();
    rig.push(own);
    if (camera instanceof RigCamera) continue;
    for (const frame of camera) {
      own.add(frame);
      await pause();
    }
  }
  const aside = solveAside({ rig: rig.map(({ taken }) => taken), facts }, onProgress);
  const found = await untilAborted(signal, () => aside.found).finally(aside.end);
  if (found) return found;
  const { solve } = await import("./align.ts");
  const steps = solve(rig, facts);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    onProgress(step.value.done, step.value.of);
    await pause();
    signal?.throwIfAborted();
  }
}

/** The longest time in which the calling thread does nothing else, ms. */
const LONGEST_MS = 12;

/** Gives a function that lets the calling thread do something else, if it is time to; it rejects with the signal's reason. */
function pauses(signal: AbortSignal | undefined): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    since = performance.now();
  };
}
