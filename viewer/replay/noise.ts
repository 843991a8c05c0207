import type { DepthFrame } from "../../sources/frame.ts";
import type { Recording } from "../../sources/index.ts";
import { estimateNoise, type SensorNoise } from "../../stages/noise.ts";
import type { Stage } from "../../stages/stage.ts";

/** Frames that are looked at. */
export const LOOKED_AT = 3;

type Readable = Pick<Recording, "length" | "read">;

/** The noise in a recording's first frames. */
export const noiseOf = async (recording: Readable) => estimateNoise(await framesToMeasure(recording));

/** The frames that tell a recording's noise; those that cannot be read say nothing of it. */
export async function framesToMeasure(recording: Readable): Promise<DepthFrame[]> {
  const frames: DepthFrame[] = [];
  for (let index = 0; index < Math.min(recording.length, LOOKED_AT); index++) {
    const frame = await recording.read(index).catch(() => undefined);
    if (frame && !frame.fault) frames.push(frame);
  }
  return frames;
}

/** Fits stages to a sensor's noise, but for what somebody has set. Gives what that changed, as `--set` has it. */
export function suitStages(stages: readonly Stage[], noise: SensorNoise | undefined): string[] {
  return stages.flatMap((stage) => {
    const before = { ...stage.parameters };
    stage.suit(noise);
    const changed = Object.entries(stage.parameters).filter(([name, value]) => value !== before[name]);
    return changed.map(([name, value]) => `${stage.name}.${name}=${value}`);
  });
}
