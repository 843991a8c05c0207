import { messageOf } from "../core/caught.ts";
import { RequestError } from "../run/report/failure.ts";
import type { Stage } from "../stages/core/stage.ts";
import { registry } from "../stages/registry.ts";
import { baselines } from "./baselines.ts";
import type { DataKind } from "./frames.ts";

/** Stages that are measured together, as one row of the report. */
export interface Case {
  /** "median", "median+bilateralGrid+compact". */
  readonly stage: string;
  /** The parameters given, "size=5", or "default". */
  readonly variant: string;
  /** The stages that run once beforehand, untimed: they make the points that dofSplat draws. */
  readonly before: readonly Stage[];
  readonly timed: readonly Stage[];
  /** The data that the case runs on, unless others are asked for. */
  readonly data: readonly DataKind[];
}

const WHOLE = "median:size=3+bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50+compact";

/** The cases measured if no stages are named. */
const DEFAULTS = [
  "empty",
  "copy",
  "median:size=3",
  "median:size=5",
  "bilateralGrid",
  "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50",
  "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=100",
  "track",
  "track+temporal",
  "compact",
  "dofSplat",
  WHOLE,
  "despeckle+median+bilateralGrid+temporal+compact",
  "despeckle+median+bilateralGrid+track+temporal+compact",
  `${WHOLE}+dofSplat`,
];

const known = () => new Map([...baselines, ...registry]);

/** All default cases, or those that consist of `stage` alone. Stages that are not registered are left out. */
export function defaultCases(stage?: string): Case[] {
  const stages = known();
  if (stage !== undefined && !stages.has(stage)) throw noSuchStage(stage);
  const exists = (text: string) => text.split("+").every((part) => stages.has(part.split(":")[0] ?? ""));
  const wanted = (text: string) => stage === undefined || text.split(/[:+]/)[0] === stage;
  const texts = DEFAULTS.filter((text) => exists(text) && wanted(text) && (stage === undefined || !text.includes("+")));
  return (texts.length > 0 ? texts : [stage ?? ""]).map(parseCase);
}

/** Parses "median:size=5+compact": stages joined by +, parameters after colons. Throws a `RequestError`. */
export function parseCase(text: string): Case {
  const parts = text.split("+").map((part) => part.trim().split(":"));
  const timed = parts.map(([name = "", ...assignments]) => makeStage(name, assignments));
  const names = timed.map(({ name }) => name);
  const wantsPoints = timed.some(({ role }) => role === "picture") && !names.includes("compact");
  const variants = parts.filter(([, ...given]) => given.length > 0).map(([name, ...given]) => [name, given.join(" ")]);
  const variant = variants.map(([name, given]) => (timed.length > 1 ? `${name} ${given}` : given)).join(", ");
  return {
    stage: names.join("+"),
    variant: variant || "default",
    before: wantsPoints ? [makeStage("compact", [])] : [],
    timed,
    data: timed.some(({ gives }) => gives === "pose") ? ["structured", "moving"] : dataOf(names),
  };
}

/** The kinds of data for a case: several only where the data changes the cost. */
function dataOf(names: readonly string[]): readonly DataKind[] {
  const [first, ...rest] = names;
  if (rest.length > 0) return ["structured"];
  if (first === "compact") return ["structured", "random50", "random80"];
  if (first === "bilateralGrid") return ["structured", "filled"];
  if (first === "median") return ["structured", "random80"];
  return ["structured"];
}

function makeStage(name: string, assignments: readonly string[]): Stage {
  const factory = known().get(name);
  if (!factory) throw noSuchStage(name);
  const stage = factory();
  for (const assignment of assignments) {
    const [, key = "", value = ""] = assignment.match(/^(\w+)=(.*)$/) ?? [];
    if (!key) throw new RequestError(`${name}:${assignment}: parameters are written ${name}:parameter=value`);
    try {
      stage.set({ [key]: value });
    } catch (error) {
      throw new RequestError(messageOf(error));
    }
  }
  return stage;
}

function noSuchStage(name: string): RequestError {
  return new RequestError(`there is no stage "${name}" to measure; there are ${[...known().keys()].join(", ")}`);
}
