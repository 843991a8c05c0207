import type { DepthFrame } from "../../sources/core/frame.ts";
import type { Recording } from "../../sources/index.ts";
import { estimateNoise, type SensorNoise } from "../../stages/core/noise.ts";
import type { Stage } from "../../stages/core/stage.ts";

/** The number of first frames from which noise is estimated. */
export const LOOKED_AT = 3;

type Readable = Pick<Recording, "length" | "read">;

/** Estimates the noise in a recording's first frames. */
export const noiseOf = async (recording: Readable) => estimateNoise(await framesToMeasure(recording));

/** The frames from which noise is estimated, without those that cannot be read. */
export async function framesToMeasure(recording: Readable): Promise<DepthFrame[]> {
  const frames: DepthFrame[] = [];
  for (let index = 0; index < Math.min(recording.length, LOOKED_AT); index++) {
    const frame = await recording.read(index).catch(() => undefined);
    if (frame && !frame.fault) frames.push(frame);
  }
  return frames;
}

/** Sets the stages' parameters for a sensor's noise, except those that the user has set. Returns the changes in the form of `--set`. */
export function applyNoise(stages: readonly Stage[], noise: SensorNoise | undefined): string[] {
  return stages.flatMap((stage) => {
    const before = { ...stage.parameters };
    stage.applyNoise(noise);
    const changed = Object.entries(stage.parameters).filter(([name, value]) => value !== before[name]);
    return changed.map(([name, value]) => `${stage.name}.${name}=${value}`);
  });
}
