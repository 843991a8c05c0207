import type { Gpu } from "../../../pipeline/device.ts";
import { Transfer } from "../../../pipeline/transfer.ts";
import type { FrameShape } from "../../../sources/frame.ts";
import { type FrameResources, strideOf } from "../../../stages/resources.ts";
import type { CpuFrame, CpuPicture, CpuPoints } from "../../../stages/stage.ts";
import type { Lane } from "./lanes.ts";
import { readWords } from "./words.ts";

/** How far from its twin a stage's depth may be, in units. Valid stays valid and invalid stays invalid in any case. */
const DEPTH_TOLERANCE: Readonly<Record<string, number>> = { bilateralGrid: 1 };
/** Of a point's distance: x and y are products of floats, which the GPU may contract. z and the order are exact. */
const POSITION_TOLERANCE = 1e-5;
/** Pictures: at most this share of the pixels further than this from the twin's, 0 … 255. */
const PICTURE_SHARE = 0.01;
const PICTURE_TOLERANCE = 8;

/** What a lane's stages left, found right or not, and the fewest bytes they had to move for it. */
export interface Verdict {
  /** What differs, in words; empty where all is as it should be. */
  readonly faults: readonly string[];
  readonly bytes: number;
}

/** Holds each stage's output against its twin's, for the same input: what the GPU's own stage before it left. */
export async function checkLane({ device }: Gpu, shape: FrameShape, lane: Lane): Promise<Verdict> {
  const { width, height } = shape.intrinsics;
  const transfer = new Transfer(device, width, height, strideOf(width));
  const read = async ({ depth, points, picture }: FrameResources): Promise<CpuFrame> => ({
    depth: await transfer.readDepth(depth),
    color: undefined,
    points: points && (await transfer.readPoints(points)),
    picture: picture && (await transfer.readPicture(picture)),
  });
  const faults: string[] = [];
  let bytes = 0;
  for (const { stage, built, input } of lane.steps) {
    const given = await read({ ...input, picture: undefined });
    const expected = { ...given };
    stage.twin(shape).run(expected);
    const found = await read({ ...input, ...built.output });
    bytes += bytesMoved(given, expected);
    const { depth, points, picture } = built.output;
    if (depth) faults.push(...depthFaults(stage.name, expected.depth.data, found.depth.data, width));
    if (points && expected.points && found.points) {
      faults.push(...pointFaults(expected.points, found.points));
      if (!(await argumentsAre(device, points.args, found.points.count))) faults.push("indirect arguments differ");
    }
    if (picture && expected.picture && found.picture) {
      faults.push(...pictureFaults(expected.picture, found.picture));
    }
  }
  return { faults, bytes };
}

/**
 * The fewest bytes a stage has to move, told from what it replaced: depth from depth, points of 16 bytes from points or else
 * from depth, a picture of 8 bytes a pixel from points.
 */
export function bytesMoved(given: CpuFrame, left: CpuFrame): number {
  const pixels = given.depth.data.length;
  const { points, picture } = left;
  let bytes = 0;
  if (left.depth !== given.depth) bytes += 4 * pixels;
  if (points && points !== given.points)
    bytes += (given.points ? 16 * given.points.count : 2 * pixels) + 16 * points.count;
  if (picture && picture !== given.picture) bytes += 16 * (points?.count ?? 0) + 8 * picture.width * picture.height;
  return bytes;
}

function depthFaults(stage: string, expected: Uint16Array, found: Uint16Array, width: number): string[] {
  const tolerance = DEPTH_TOLERANCE[stage] ?? 0;
  let wrong = 0;
  let first = "";
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [expected[i] ?? 0, found[i] ?? 0];
    if (a === b || (a !== 0 && b !== 0 && Math.abs(a - b) <= tolerance)) continue;
    if (wrong++ === 0) first = `the first at (${i % width}, ${Math.floor(i / width)}): ${b}, not ${a}`;
  }
  return wrong > 0 ? [`${stage}: ${wrong} of ${expected.length} pixels differ from the twin's, ${first}`] : [];
}

export function pointFaults(expected: CpuPoints, found: CpuPoints): string[] {
  if (expected.count !== found.count) return [`${found.count} points, not ${expected.count}`];
  let wrong = 0;
  for (let i = 0; i < expected.count * 4; i += 4) {
    const z = expected.floats[i + 2] ?? 0;
    const near = (k: number) => {
      const [a, b] = [expected.floats[k] ?? 0, found.floats[k] ?? 0];
      return Math.abs(a - b) <= POSITION_TOLERANCE * (z + Math.abs(a));
    };
    if (!near(i) || !near(i + 1) || z !== found.floats[i + 2] || expected.words[i + 3] !== found.words[i + 3]) wrong++;
  }
  return wrong > 0 ? [`${wrong} of ${expected.count} points differ from the twin's`] : [];
}

function pictureFaults(expected: CpuPicture, found: CpuPicture): string[] {
  let wrong = 0;
  for (let i = 0; i < expected.rgba.length; i += 4) {
    const far = (k: number) => Math.abs((expected.rgba[k] ?? 0) - (found.rgba[k] ?? 0)) > PICTURE_TOLERANCE;
    if (far(i) || far(i + 1) || far(i + 2)) wrong++;
  }
  const share = wrong / (expected.rgba.length / 4);
  return share > PICTURE_SHARE ? [`${(share * 100).toFixed(1)}% of the picture differs from the twin's`] : [];
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
    a.points?.count === b.points?.count &&
    equal(a.points?.words ?? [], b.points?.words ?? [], words) &&
    equal(a.picture?.rgba ?? [], b.picture?.rgba ?? [])
  );
}
