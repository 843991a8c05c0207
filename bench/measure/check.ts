import type { FrameShape } from "../../core/frame.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { Transfer } from "../../pipeline/run/transfer.ts";
import { differencesOf } from "../../pipeline/tune/twinCheck.ts";
import { AGAIN, type FrameResources, strideOf } from "../../stages/core/resources.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { CHECKED_HISTORY } from "./film.ts";
import { type Lane, poison, runLane } from "./lanes.ts";
import { readWords } from "./words.ts";

/** Whether the results of a lane's stages were right, and the fewest bytes that the stages had to move. */
export interface Verdict {
  /** The difference in words; empty where everything agrees. */
  readonly faults: readonly string[];
  readonly bytes: number;
}

/**
 * Compares each stage's output with its CPU twin's output for the same input, which is what the stage before it left on the GPU. If a stage
 * has a memory, some lanes before this one run first, on GPU and twin alike, starting with an empty memory.
 */
export async function checkLane(
  { device }: Gpu,
  source: FrameShape,
  lane: Lane,
  lanes: readonly Lane[] = [lane],
): Promise<Verdict> {
  const { width, height } = source.intrinsics;
  const transfer = new Transfer(device, strideOf(width) * height);
  const read = async ({ depth, raw, shown, color, points, picture, pose }: FrameResources): Promise<CpuFrame> => ({
    depth: await transfer.readDepth(depth),
    raw: raw && (await transfer.readDepth(raw)),
    shown: shown && (await transfer.readDepth(shown)),
    pose: pose && (await transfer.readPose(pose)),
    color: color && (await transfer.readColor(color, depth)),
    points: points && (await transfer.readPoints(points)),
    picture: picture && (await transfer.readPicture(picture)),
  });
  const twins = lane.steps.map(({ stage, shape }) => stage.twin(shape));
  let context = AGAIN;
  if (lane.steps.some(({ stage }) => stage.remembers)) {
    lane.film.cut();
    for (let back = CHECKED_HISTORY; back > 0; back--) {
      const earlier = lanes.at((lanes.indexOf(lane) - back) % lanes.length) ?? lane;
      const then = runLane(device, earlier);
      for (const [k, { stage, input }] of earlier.steps.entries()) {
        if (stage.remembers) twins[k].run(await read({ ...input, picture: undefined }), then);
      }
    }
    for (const { built } of lane.steps) poison(device, built);
    context = runLane(device, lane);
  }
  const faults: string[] = [];
  let bytes = 0;
  for (const [k, { stage, built, input }] of lane.steps.entries()) {
    const given = await read({ ...input, picture: undefined });
    const expected = { ...given };
    twins[k].run(expected, context);
    const found = await read({ ...input, ...built.output });
    bytes += bytesMoved(given, expected);
    faults.push(...differencesOf(stage, expected, found, built.output));
    const { points } = built.output;
    if (points && found.points && !(await argumentsAre(device, points.args, found.points.count))) {
      faults.push(`${stage.name}: indirect arguments differ`);
    }
  }
  transfer.destroy();
  return { faults, bytes };
}

/**
 * The fewest bytes that a stage has to move, judged by its output: depth from depth, colour of 4 bytes per pixel from depth, points of 16
 * bytes from points or else from depth, a picture of 8 bytes per pixel from points.
 */
export function bytesMoved(given: CpuFrame, left: CpuFrame): number {
  const pixels = left.depth.data.length;
  const { points, picture } = left;
  let bytes = 0;
  if (left.depth !== given.depth) bytes += 2 * (given.depth.data.length + pixels);
  if (left.color !== given.color) bytes += 6 * pixels;
  if (points && points !== given.points)
    bytes += (given.points ? 16 * given.points.count : 2 * pixels) + 16 * points.count;
  if (picture && picture !== given.picture) bytes += 16 * (points?.count ?? 0) + 8 * picture.width * picture.height;
  return bytes;
}

async function argumentsAre(device: GPUDevice, args: GPUBuffer, n: number): Promise<boolean> {
  const found = await readWords(device, args);
  const expected = [n, 1, 0, 0, 6, n, 0, 0, Math.ceil(n / 256), 1, 1, n];
  return expected.every((word, i) => word === found[i]);
}

/** Whether two frames hold the same bytes. */
export function same(a: CpuFrame, b: CpuFrame): boolean {
  const equal = (p: ArrayLike<number>, q: ArrayLike<number>, n = p.length) => {
    for (let i = 0; i < n; i++) if (p[i] !== q[i]) return false;
    return true;
  };
  const words = (a.points?.count ?? 0) * 4;
  return (
    equal(a.depth.data, b.depth.data) &&
    equal(a.color?.data ?? [], b.color?.data ?? []) &&
    a.points?.count === b.points?.count &&
    equal(a.points?.words ?? [], b.points?.words ?? [], words) &&
    equal(a.picture?.rgba ?? [], b.picture?.rgba ?? [])
  );
}
