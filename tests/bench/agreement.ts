import { pointDifference } from "../../pipeline/tune/twinCheck.ts";
import { AGAIN } from "../../stages/moment.ts";
import { registry } from "../../stages/registry.ts";
import type { CpuFrame } from "../../stages/stage.ts";
import { frameOf } from "./measure/cpu.ts";
import type { Input, PeerResult } from "./types.ts";

type Agreement = Pick<PeerResult, "agrees" | "comparison">;

/**
 * PCL's grid is ours in idea (one cell a sigma, blurred with 1 2 1 twice along each axis, read trilinearly) but not in its
 * details (where its cells begin, floats), so the two are near and not equal: in parts of the range sigma.
 */
const BILATERAL_TOLERANCE = { median: 0.06, p99: 0.3 };
/** A grid of fewer than 20 cells across is all border. */
const BILATERAL_PIXELS = 20 * 16;

/** Holds what a peer computed from the first image against what our twins make of it. `kind` as in peers/peer.hpp. */
export function compareWithOurs(kind: string, name: string, bytes: Buffer | undefined, input: Input): Agreement {
  const [image] = input.images;
  if (!bytes || !image) return { agrees: null, comparison: "only timed" };
  if (kind === "words") return compareWords(image, bytes);
  if (kind === "points") return comparePoints(image, bytes, input);
  if (kind === "depth") return compareMedian(image, bytes, input, name.includes("5x5") ? 5 : 3);
  if (kind === "bilateral") return compareBilateral(image, bytes, input, name.includes("0.05 m") ? 50 : 100);
  throw new Error(`${name}: there is no output of the kind "${kind}"`);
}

function twinOf(stage: string, parameters: Readonly<Record<string, unknown>>, { shape }: Input, image: Uint16Array) {
  const made = registry.get(stage)?.();
  if (!made) return undefined;
  made.set(parameters);
  const frame: CpuFrame = frameOf(image, shape.intrinsics.width);
  made.twin(shape).run(frame, AGAIN);
  return frame;
}

const missing: Agreement = { agrees: null, comparison: "only timed: there is no such stage" };

function compareWords(image: Uint16Array, bytes: Buffer): Agreement {
  const valid = image.filter((depth) => depth !== 0);
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + 16, bytes.byteOffset + bytes.length));
  const agrees = bytes.readUInt32LE(0) === valid.length && valid.every((depth, i) => depth === words[i]);
  return { agrees, comparison: `the ${valid.length} valid values, in raster order` };
}

function comparePoints(image: Uint16Array, bytes: Buffer, input: Input): Agreement {
  const ours = twinOf("compact", {}, input, image)?.points;
  if (!ours) return missing;
  const data = bytes.buffer.slice(bytes.byteOffset + 16, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const theirs = { floats: new Float32Array(data), words: new Uint32Array(data), count: bytes.readUInt32LE(0) };
  // Colour is no part of what is compared: the frames have none, and what stands for it is each side's own.
  const words = Uint32Array.from(ours.words.subarray(0, ours.count * 4));
  for (let i = 3; i < words.length; i += 4) words[i] = theirs.words[i] ?? 0;
  const fault = pointDifference({ ...ours, words }, theirs);
  return { agrees: fault === undefined, comparison: fault ?? `the ${ours.count} points, in raster order` };
}

/** Where the whole window lies in the image and holds no invalid pixel, every median is the same median. */
function compareMedian(image: Uint16Array, bytes: Buffer, input: Input, size: number): Agreement {
  const ours = twinOf("median", { size }, input, image)?.depth.data;
  if (!ours) return missing;
  const theirs = wordsOf(bytes);
  const { width, height } = input.shape.intrinsics;
  const reach = (size - 1) / 2;
  let [compared, wrong] = [0, 0];
  for (let y = reach; y < height - reach; y++) {
    for (let x = reach; x < width - reach; x++) {
      if (hasHole(image, width, x, y, reach)) continue;
      compared++;
      if (ours[y * width + x] !== theirs[y * width + x]) wrong++;
    }
  }
  const comparison = `${compared} pixels with a whole window${wrong > 0 ? `, ${wrong} of them differ` : ", all equal"}`;
  return { agrees: wrong === 0, comparison };
}

function hasHole(image: Uint16Array, width: number, x: number, y: number, reach: number): boolean {
  for (let v = y - reach; v <= y + reach; v++) {
    for (let u = x - reach; u <= x + reach; u++) if (image[v * width + u] === 0) return true;
  }
  return false;
}

function compareBilateral(image: Uint16Array, bytes: Buffer, input: Input, sigmaDepthMm: number): Agreement {
  // PCL takes an invalid pixel for the farthest depth, so one of them is enough to tell the outputs apart.
  if (image.includes(0)) return { agrees: null, comparison: "only timed: comparable where every pixel is valid" };
  if (input.shape.intrinsics.width < BILATERAL_PIXELS) return { agrees: null, comparison: "only timed: few cells" };
  const ours = twinOf("bilateralGrid", { fit: "constant", sigmaSpacePx: 16, sigmaDepthMm }, input, image)?.depth.data;
  if (!ours) return missing;
  const theirs = wordsOf(bytes);
  const sigmaUnits = sigmaDepthMm / 1000 / input.shape.metresPerUnit;
  const apart = Float64Array.from(ours, (depth, i) => Math.abs(depth - (theirs[i] ?? 0)) / sigmaUnits).sort();
  const at = (p: number) => apart[Math.floor(p * (apart.length - 1))] ?? 0;
  const agrees = at(0.5) <= BILATERAL_TOLERANCE.median && at(0.99) <= BILATERAL_TOLERANCE.p99;
  const percent = (x: number) => `${(x * 100).toFixed(1)}%`;
  return { agrees, comparison: `apart by ${percent(at(0.5))} of sigma at the median, ${percent(at(0.99))} at p99` };
}

const wordsOf = (bytes: Buffer) =>
  new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
