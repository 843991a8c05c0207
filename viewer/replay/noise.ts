import type { DepthFrame } from "../../sources/frame.ts";
import type { Recording } from "../../sources/index.ts";
import { estimateNoise, type Noise } from "../../stages/noise.ts";
import type { ChosenStages } from "./settings.ts";

/** Frames that are looked at. */
export const LOOKED_AT = 3;

type Readable = Pick<Recording, "length" | "read">;

/** The noise in a recording's frames from `start` on. */
export const noiseOf = async (recording: Readable, start = 0) => estimateNoise(await framesToMeasure(recording, start));

/** The frames that tell a recording's noise; those that cannot be read say nothing of it. */
export async function framesToMeasure(recording: Readable, start = 0): Promise<DepthFrame[]> {
  const frames: DepthFrame[] = [];
  for (let index = start; index < Math.min(recording.length, start + LOOKED_AT); index++) {
    const frame = await recording.read(index).catch(() => undefined);
    if (frame && !frame.fault) frames.push(frame);
  }
  return frames;
}

/** Sets the sigmas of every stage that has them, but for those that somebody has set. Gives what it set, as `--set` has it. */
export function setSigmas(
  { stages, given }: Pick<ChosenStages, "stages" | "given">,
  { a, b }: Pick<Noise, "a" | "b">,
): string[] {
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
