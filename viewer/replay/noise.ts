import type { DepthFrame } from "../../sources/frame.ts";
import type { Recording } from "../../sources/index.ts";
import { estimateNoise, type Noise } from "../../stages/noise.ts";
import type { ChosenStages } from "./settings.ts";

/** Frames that are looked at. */
const LOOKED_AT = 3;

/** The noise in a recording's frames from `start` on; those that cannot be read say nothing of it. */
export async function noiseOf(recording: Pick<Recording, "length" | "read">, start = 0) {
  const frames: DepthFrame[] = [];
  for (let index = start; index < Math.min(recording.length, start + LOOKED_AT); index++) {
    const frame = await recording.read(index).catch(() => undefined);
    if (frame && !frame.fault) frames.push(frame);
  }
  return estimateNoise(frames);
}

/** Sets the sigmas of every stage that has them, but for those that somebody has set. Gives what it set, as `--set` has it. */
export function setSigmas({ stages, given }: ChosenStages, { a, b }: Noise): string[] {
  const sigmas = { sigmaDepthMm: a, sigmaDepthPerM2Mm: b };
  return stages.flatMap((stage) =>
    Object.entries(sigmas).flatMap(([name, mm]) => {
      const parameter = stage.schema[name];
      if (!parameter || given.has(`${stage.name}.${name}`)) return [];
      const { min = -Infinity, max = Infinity } = parameter;
      const value = Math.min(Math.max(Number(mm.toFixed(2)), min), max);
      stage.set({ [name]: value });
      return [`${stage.name}.${name}=${value}`];
    }),
  );
}
