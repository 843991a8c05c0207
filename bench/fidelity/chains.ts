import type { FrameShape } from "../../core/frame.ts";
import { image as ndimage } from "../../core/frame.ts";
import { followNoise, LOOKED_AT } from "../../pipeline/noise.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { RequestError } from "../../run/report/failure.ts";
import { estimateNoise } from "../../stages/core/noise.ts";
import { applyOrder } from "../../stages/core/order.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import { PRESETS, type Preset } from "../../stages/core/presets.ts";
import type { FrameContext } from "../../stages/core/resources.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { defaultNames, registry, stageNamed } from "../../stages/registry.ts";
import { Twins } from "../twins.ts";
import type { Depth } from "./image.ts";

/** A filter's result, and the camera's pose where the filter finds it. */
export interface Filtered extends Depth {
  readonly camera?: Pick<CameraPose, "state" | "toWorld">;
}

/** Filters a recording's frames, which it gets in order. */
type Filter = (units: Uint16Array, context: FrameContext) => Filtered;

/** A filter or a chain of filters. */
export interface Chain {
  readonly name: string;
  /** The stages and their parameters other than defaults. */
  readonly what: string;
  /** The kind, which determines the goals that the chain must meet. */
  readonly kind: "raw" | "spatial" | "temporal" | "asked";
  /** Whether earlier frames may influence the result. */
  readonly remembers: boolean;
  /** Prepares the chain for frames of this shape, without memory. Parameters not set follow the noise of the first of these frames. */
  start(shape: FrameShape, frames: readonly Uint16Array[]): Filter;
}

const depthOf = (units: ArrayLike<number>, { intrinsics, metresPerUnit }: FrameShape): Depth => {
  const mmPerUnit = metresPerUnit * 1000;
  const { width, height } = intrinsics;
  return { width, height, mm: Float32Array.from(units, (u) => u * mmPerUnit) };
};

export const RAW: Chain = {
  name: "raw",
  what: "as it was recorded",
  kind: "raw",
  remembers: false,
  start: (shape) => (units) => depthOf(units, shape),
};

function noiseIn(shape: FrameShape, frames: readonly Uint16Array[]) {
  const { width, height } = shape.intrinsics;
  const first = frames.slice(0, LOOKED_AT).map((units, index) => {
    return { ...shape, depth: ndimage(units, [height, width]), index, timestamp: index };
  });
  return estimateNoise(first);
}

/** A chain of the stages' CPU twins. `make` makes new stages, since stages have a memory. */
function chainOf(name: string, kind: Chain["kind"], make: () => readonly Stage[]): Chain {
  return {
    name,
    kind,
    remembers: kind !== "spatial",
    what: make().map(stageText).join(", "),
    start(shape, frames) {
      const { width, height } = shape.intrinsics;
      const stages = make();
      const noise = noiseIn(shape, frames);
      const follow = followNoise(stages, noise);
      const twins = new Twins(stages);
      return (units, context) => {
        const { index, timestamp } = context;
        const given = { ...shape, depth: ndimage(new Uint16Array(units), [height, width]), index, timestamp };
        follow(given);
        const { frame, shape: left } = twins.run(given, context);
        const { pose } = frame;
        const camera = pose && { state: pose.state, toWorld: pose.toWorld.slice() };
        return { ...depthOf(frame.depth.data, left), ...(camera && { camera }) };
      };
    },
  };
}

/** Names a stage and its parameters that differ from the defaults. */
function stageText({ name, schema, parameters }: Stage): string {
  const changed = Object.entries(parameters).filter(([key, value]) => value !== schema[key]?.initial);
  return changed.length > 0 ? `${name} (${changed.map(([key, value]) => `${key} ${value}`).join(", ")})` : name;
}

const filters = (names: readonly string[]) => names.filter((name) => registry.get(name)?.role === "filter");

/** The default chain's filters, without and with the temporal filter, which comes last. `change` may change their parameters. */
export function ours(change: (stage: Stage) => void = () => {}): Chain[] {
  const spatial = filters(defaultNames()).filter((name) => name !== "temporal" && name !== "track");
  const make = (names: readonly string[]) => () => {
    const stages = names.map(stageNamed);
    applyOrder(stages);
    stages.forEach(change);
    return stages;
  };
  return [
    chainOf("ours, spatial", "spatial", make(spatial)),
    chainOf("ours", "temporal", make([...spatial, "track", "temporal"])),
  ];
}

/** The chain whose poses tell how a recording's camera moved: the default chain up to the stage that finds them. */
export function tracking(): Chain {
  const names = filters(defaultNames());
  return chainOf("track", "temporal", () => names.slice(0, names.indexOf("track") + 1).map(stageNamed));
}

/** The default chain with the preset of a sensor; `undefined` if the stages have no such preset. */
export function presetChains(name: string | undefined): Chain[] {
  const preset = (Object.keys(PRESETS) as Preset[]).find((one) => one === name);
  if (!preset || ![...registry.values()].some(({ presets }) => presets[preset])) return [];
  return ours((stage) => stage.reset(preset)).map((chain) => {
    const own = chain.name.replace("ours", `preset ${preset}`);
    return { ...chain, name: own, kind: "asked" };
  });
}

/** The chain that `--stages`, `--settings` and `--set` ask for, if any. */
export function asked(stages: string | undefined, settings: string | undefined, set: readonly string[]): Chain[] {
  if (stages === undefined && settings === undefined && set.length === 0) return [];
  const names = stages?.split(",").map((name) => name.trim());
  const make = () => chooseStages(names, settings, set).stages.filter(({ role }) => role === "filter");
  if (make().length === 0) throw new RequestError("--stages: none of them is a filter: there is nothing to measure");
  return [chainOf("asked for", "asked", make)];
}
