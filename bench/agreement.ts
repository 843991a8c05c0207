import { pointDifference } from "../pipeline/tune/twinCheck.ts";
import type { ParameterValues } from "../stages/core/parameters.ts";
import { AGAIN } from "../stages/core/resources.ts";
import type { CpuFrame } from "../stages/core/stage.ts";
import { registry } from "../stages/registry.ts";
import { frameOf } from "./measure/cpu.ts";
import type { Input, PeerResult } from "./types.ts";

type Agreement = Pick<PeerResult, "agrees" | "comparison">;

/**
 * PCL's grid has the same idea as ours (a cell per sigma, blurred with 1 2 1 twice along each axis, read trilinearly) but differs in
 * details (the origin of its cells, floats). So the results are close but not equal; the tolerances are shares of the range sigma.
 */
const BILATERAL_TOLERANCE = { median: 0.06, p99: 0.3 };
/** A grid of fewer than 20 cells across consists mostly of border. */
const BILATERAL_PIXELS = 20 * 16;

/** Compares a peer's result for the first image with our CPU twins' result. `kind` is as in peers/peer.hpp. */
export function compareWithOurs(kind: string, name: string, bytes: Buffer | undefined, input: Input): Agreement {
  const [image] = input.images;
  if (!bytes || !image) return { agrees: null, comparison: "only timed" };
  if (kind === "words") return compareWords(image, bytes);
  if (kind === "points") return comparePoints(image, bytes, input);
  if (kind === "depth") return compareMedian(image, bytes, input, name.includes("5x5") ? 5 : 3);
  if (kind === "bilateral") return compareBilateral(image, bytes, input, name.includes("0.05 m") ? 50 : 100);
  throw new Error(`${name}: there is no output of the kind "${kind}"`);
}

function twinOf(stage: string, parameters: ParameterValues, { shape }: Input, image: Uint16Array) {
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
  // Colour is not compared: the frames have none, and each side fills in its own.
  const words = Uint32Array.from(ours.words.subarray(0, ours.count * 4));
  for (let i = 3; i < words.length; i += 4) words[i] = theirs.words[i] ?? 0;
  const fault = pointDifference({ ...ours, words }, theirs);
  return { agrees: fault === undefined, comparison: fault ?? `the ${ours.count} points, in raster order` };
}

/** Where the whole window lies in the image and has no invalid pixel, all medians agree, except where ours keeps a line's own depth. */
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
      const at = y * width + x;
      const differs = ours[at] !== theirs[at];
      if (differs && ours[at] === image[at]) continue;
      compared++;
      if (differs) wrong++;
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
  // PCL treats an invalid pixel as the farthest depth, so a single one makes the outputs differ.
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
