import type { Stage } from "../../stages/core/stage.ts";
import type * as library from "../../stages/index.ts";
import {
  bilateralGrid,
  compact,
  decimate,
  despeckle,
  dofSplat,
  fillHoles,
  median,
  paint,
  split,
  temporal,
  threshold,
  track,
  undistort,
} from "../../stages/index.ts";

// The compiler is the test runner here: `tsc` fails where a line below `@ts-expect-error` compiles, and where another does not.

/** Exactly the same type, which `extends` alone does not tell. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(..._: T[]) => {};

/** The names of the factories that the library exports: one that is added needs its lines below. */
type Names = {
  [K in keyof typeof library]: (typeof library)[K] extends { readonly stageName: string } ? K : never;
}[keyof typeof library];

/** For each stage: what TypeScript takes, then a name, a type and, where a parameter is a choice, a value that it refuses. */
export const stages: Record<Names, () => void> = {
  bilateralGrid() {
    const stage = bilateralGrid({ fit: "plane", sigmaSpacePx: 8 });
    stage.set({ sigmaDepthMm: 3 });
    // @ts-expect-error
    bilateralGrid({ sigmaSpace: 8 });
    // @ts-expect-error
    stage.set({ sigmaDepth: 3 });
    // @ts-expect-error
    stage.set({ fit: "planes" });
    // @ts-expect-error
    stage.set({ sigmaSpacePx: "8" });
    // @ts-expect-error
    stage.reset("default", "sigma");
  },
  compact() {
    const stage = compact({ nearM: 1 });
    stage.set({ farM: 3 });
    // @ts-expect-error
    compact({ near: 1 });
    // @ts-expect-error
    stage.set({ far: 3 });
    // @ts-expect-error
    stage.set({ farM: "3" });
    // @ts-expect-error
    stage.reset("default", "far");
  },
  decimate() {
    const stage = decimate({ factor: 2 });
    stage.set({ take: "mean" });
    // @ts-expect-error
    decimate({ factors: 2 });
    // @ts-expect-error
    stage.set({ takes: "mean" });
    // @ts-expect-error
    stage.set({ take: "most" });
    // @ts-expect-error
    stage.set({ factor: true });
    // @ts-expect-error
    stage.reset("default", "factors");
  },
  despeckle() {
    const stage = despeckle({ action: "snap" });
    stage.set({ islandPx: 5 });
    // @ts-expect-error
    despeckle({ actions: "snap" });
    // @ts-expect-error
    stage.set({ island: 5 });
    // @ts-expect-error
    stage.set({ action: "keep" });
    // @ts-expect-error
    stage.set({ stepMm: [5] });
    // @ts-expect-error
    stage.reset("default", "step");
  },
  dofSplat() {
    const stage = dofSplat({ focusM: 1.2, background: [0, 0, 0] });
    stage.set({ thinning: 2 });
    // @ts-expect-error
    dofSplat({ focus: 1.2 });
    // @ts-expect-error
    stage.set({ fnumber: 2 });
    // @ts-expect-error
    stage.set({ thinning: 3 });
    // @ts-expect-error
    stage.set({ background: "black" });
    // @ts-expect-error
    stage.reset("default", "focus");
  },
  fillHoles() {
    const stage = fillHoles({ mark: true });
    stage.set({ mode: "nearest" });
    // @ts-expect-error
    fillHoles({ marks: true });
    // @ts-expect-error
    stage.set({ reach: 8 });
    // @ts-expect-error
    stage.set({ mode: "near" });
    // @ts-expect-error
    stage.set({ mark: "yes" });
    // @ts-expect-error
    stage.reset("default", "marks");
  },
  median() {
    const stage = median({ size: 3 });
    stage.set({ size: 5 });
    // @ts-expect-error
    median({ sizes: 3 });
    // @ts-expect-error
    stage.set({ sizes: 3 });
    // @ts-expect-error
    stage.set({ size: 4 });
    // @ts-expect-error
    stage.set({ size: "huge" });
    // @ts-expect-error
    stage.reset("default", "sizes");
  },
  paint() {
    const stage = paint({ by: "depth" });
    stage.set({ reachPx: 2 });
    // @ts-expect-error
    paint({ colour: "depth" });
    // @ts-expect-error
    stage.set({ reach: 2 });
    // @ts-expect-error
    stage.set({ by: "distance" });
    // @ts-expect-error
    stage.set({ nearM: null });
    // @ts-expect-error
    stage.reset("default", "near");
  },
  split() {
    const stage = split({ at: 0.5 });
    stage.set({ at: 0 });
    // @ts-expect-error
    split({ where: 0.5 });
    // @ts-expect-error
    stage.set({ to: 0.5 });
    // @ts-expect-error
    stage.set({ at: "middle" });
    // @ts-expect-error
    stage.reset("default", "to");
  },
  temporal() {
    const stage = temporal({ leastGain: 0.05 });
    stage.set({ sigmaDepthMm: 1 });
    // @ts-expect-error
    temporal({ gain: 0.05 });
    // @ts-expect-error
    stage.set({ sigmaMm: 1 });
    // @ts-expect-error
    stage.set({ leastGain: "little" });
    // @ts-expect-error
    stage.reset("default", "gain");
  },
  threshold() {
    const stage = threshold({ minM: 0.1 });
    stage.set({ maxM: 4 });
    // @ts-expect-error
    threshold({ min: 0.1 });
    // @ts-expect-error
    stage.set({ max: 4 });
    // @ts-expect-error
    stage.set({ maxM: false });
    // @ts-expect-error
    stage.reset("default", "max");
  },
  track() {
    const stage = track({ recorded: false });
    stage.set({ sigmaDepthMm: 2 });
    // @ts-expect-error
    track({ record: false });
    // @ts-expect-error
    stage.set({ sigmaDepth: 2 });
    // @ts-expect-error
    stage.set({ recorded: "no" });
    // @ts-expect-error
    stage.reset("default", "record");
  },
  undistort() {
    const stage = undistort({});
    stage.set({});
    // @ts-expect-error
    undistort({ lens: 1 });
    // @ts-expect-error
    stage.set({ lens: 1 });
    // @ts-expect-error
    stage.reset("default", "lens");
  },
};

/** What an editor shows: plain objects with the values themselves. */
export function shown() {
  const stage = median();
  holds<Same<Parameters<typeof median>[0], { size?: 3 | 5 } | undefined>>();
  holds<Same<Parameters<typeof stage.set>[0], { size?: 3 | 5 }>>();
  holds<Same<typeof stage.parameters, { readonly size: 3 | 5 }>>();
  holds<Same<(typeof stage)["schema"]["size"]["initial"], 3 | 5>>();
  const size: 3 | 5 = stage.defaultOf("size", "strong");
  // @ts-expect-error
  stage.parameters.size = size;
  // @ts-expect-error
  stage.reset("quiet");
}

/** A list holds stages of any kind; what is set by name there is checked when it runs. */
export function anyStage() {
  const list: Stage[] = [median(), undistort(), dofSplat()];
  for (const stage of list) stage.set({ size: 3 });
}
