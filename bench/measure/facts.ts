import { POINT_ARGS } from "../../stages/core/resources.ts";
import type { FrameFacts } from "../../stages/core/work.ts";
import type { Built, Lane } from "./lanes.ts";
import { readWords } from "./words.ts";

/** The input and output of a lane's step in its last run, from which its work is computed. */
export async function factsOf(device: GPUDevice, { input, built }: Built): Promise<FrameFacts> {
  const { buffer, width, height, stride } = input.shown ?? input.depth;
  const words = await readWords(device, buffer);
  let valid = 0;
  for (const word of words) valid += Number((word & 0xffff) !== 0) + Number(word >>> 16 !== 0);
  const count = input.points && (await readWords(device, input.points.args))[POINT_ARGS.count / 4];
  const stats = built.output.picture?.stats;
  const [pairs = 0] = stats ? await readWords(device, stats) : [];
  const depth = { words, width, height, stride };
  const facts = { valid: valid / Math.max(1, width * height), points: count ?? 0, pairs, depth };
  // Only what draws points counts its work in them.
  if (!stats || !input.points || !count) return facts;
  const cloud = await readWords(device, input.points.buffer, 4 * count);
  return { ...facts, cloud: { floats: new Float32Array(cloud.buffer), words: cloud, count } };
}

/**
 * The bytes that several lanes traverse before the first one's input is read again, as their stages declare. These bytes do not depend on
 * depth and points, in which a stage would count its work anew for each lane.
 */
export function workingSetOf(lanes: readonly Lane[], { valid, points, pairs }: FrameFacts): number {
  const facts = { valid, points, pairs };
  return lanes.reduce((sum, { steps }) => {
    const works = steps.flatMap(({ built }) => built.work?.(facts) ?? []);
    return sum + works.reduce((bytes, { traffic: { read = 0, written = 0 } }) => bytes + read + written, 0);
  }, 0);
}
