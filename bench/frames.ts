import type { FrameShape } from "../core/frame.ts";
import { openRecording } from "../sources/index.ts";
import { syntheticRoom } from "../sources/synthetic/index.ts";
import { xorshift } from "./random.ts";
import type { Input, Size } from "./types.ts";

/** Kinds of data that can be made in any size. */
export const DATA_KINDS = {
  structured: "the synthetic room as a Kinect sees it: surfaces, edges, holes",
  filled: "the synthetic room without noise: every pixel is valid",
  moving: "the synthetic room as a Kinect in the hand sees it, four frames to and fro, 10 mm apart",
  random50: "independent random depths, half of the pixels valid",
  random80: "independent random depths, 80% of the pixels valid",
} as const;
/** The walk of "moving": how many frames are taken, and the step between two of them in the scene's frames at 30 Hz. */
const WALKED = 4;
const STRIDE = 2;
export type DataKind = keyof typeof DATA_KINDS;

/** Makes `count` images of a kind. Later images are the first image rolled by rows: other memory and values at the same cost. */
export async function makeInput(kind: DataKind, size: Size, count: number): Promise<Input> {
  if (kind === "moving") return walk(size);
  const share = { structured: null, filled: null, random50: 0.5, random80: 0.8 }[kind];
  const { shape, image } = share === null ? await room(kind, size) : random(share, size);
  return { data: kind, shape, images: Array.from({ length: count }, (_, k) => rolled(image, size.width, k)) };
}

/** The first `count` frames of a recording, repeated from the beginning if it is shorter. */
export async function openInput(path: string, count: number): Promise<Input> {
  const recording = await openRecording(path);
  try {
    const frames = await Promise.all(Array.from({ length: count }, (_, k) => recording.read(k % recording.length)));
    const [first] = frames;
    if (!first) throw new Error(`${path}: it has no frame`);
    const { intrinsics, metresPerUnit } = first;
    const images = frames.map(({ depth }) => new Uint16Array(depth.data));
    return { data: recording.name, shape: { intrinsics, metresPerUnit }, images, follows: true };
  } finally {
    await recording.close();
  }
}

async function room(kind: DataKind, { width, height }: Size) {
  const recording = syntheticRoom({ width, height, color: false, noise: kind === "structured" });
  const { depth, intrinsics, metresPerUnit } = await recording.read(0);
  const shape: FrameShape = { intrinsics, metresPerUnit };
  return { shape, image: new Uint16Array(depth.data) };
}

/** The room before a camera that moves. */
async function walk({ width, height }: Size): Promise<Input> {
  const recording = syntheticRoom({ width, height, color: false, sensor: "kinect-v1", cameraMotion: "sway" });
  const frames = await Promise.all(Array.from({ length: WALKED }, (_, k) => recording.read(k * STRIDE)));
  const [{ intrinsics, metresPerUnit }] = frames;
  const images = frames.map(({ depth }) => new Uint16Array(depth.data));
  return { data: "moving", shape: { intrinsics, metresPerUnit }, images, follows: true };
}

function random(share: number, { width, height }: Size) {
  const image = new Uint16Array(width * height);
  const limit = share * 2 ** 32;
  const next = xorshift();
  for (let i = 0; i < image.length; i++) if (next() < limit) image[i] = 500 + (next() % 7500);
  const focal = (525 * width) / 640;
  const intrinsics = { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { shape: { intrinsics, metresPerUnit: 0.001 } satisfies FrameShape, image };
}

function rolled(image: Uint16Array<ArrayBuffer>, width: number, k: number): Uint16Array<ArrayBuffer> {
  const by = (k * 37 * width) % image.length;
  if (by === 0) return image;
  const copy = new Uint16Array(image.length);
  copy.set(image.subarray(by));
  copy.set(image.subarray(0, by), image.length - by);
  return copy;
}
