import ndarray from "ndarray";
import type { DepthArray, FrameShape } from "../../core/frame.ts";
import { Transfer } from "../../pipeline/run/transfer.ts";
import { AGAIN, createDepthImage, POINT_ARGS, type PointCloud, pointArgs } from "../../stages/core/resources.ts";
import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/core/stage.ts";
import { padded, readWords, runFrame } from "../gpu.ts";

/** A pinhole camera with its principal point in the middle. */
export function shape(width: number, height: number, focal: number): FrameShape {
  const intrinsics = { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { metresPerUnit: 0.001, intrinsics };
}

export const rgb = (r: number, g: number, b: number): number => (r | (g << 8) | (b << 16) | (255 << 24)) >>> 0;

/** Points from rows of x, y, z and a colour word. */
export function cloud(rows: readonly (readonly [number, number, number, number])[]): CpuPoints {
  const floats = new Float32Array(rows.length * 4);
  const words = new Uint32Array(floats.buffer);
  rows.forEach(([x, y, z, colour], i) => {
    floats.set([x, y, z], 4 * i);
    words[4 * i + 3] = colour;
  });
  return { floats, words, count: rows.length };
}

/** The stage's input: points, and the depth that they come from (if absent, all invalid). */
export interface Scene {
  readonly shape: FrameShape;
  readonly points: CpuPoints;
  readonly depth?: DepthArray;
}

/** A scene from a depth map: for each pixel a distance in the depth's units (0 for none) and a colour word. */
export function depthMap(shape: FrameShape, at: (u: number, v: number) => readonly [number, number]): Scene {
  const { width, height, fx, fy, cx, cy } = shape.intrinsics;
  const depth = ndarray(new Uint16Array(width * height), [height, width]);
  const rows: [number, number, number, number][] = [];
  for (let v = 0; v < height; v++) {
    for (let u = 0; u < width; u++) {
      const [units, colour] = at(u, v);
      depth.set(v, u, units);
      const z = depth.get(v, u) * shape.metresPerUnit;
      if (z > 0) rows.push([((u - cx) * z) / fx, ((v - cy) * z) / fy, z, colour]);
    }
  }
  return { shape, points: cloud(rows), depth };
}

/** The transform from sensor to view for a camera that circled the point `distance` m ahead by `yaw` degrees. */
export function orbit(yaw: number, distance: number): number[] {
  const [c, s] = [Math.cos((yaw * Math.PI) / 180), Math.sin((yaw * Math.PI) / 180)];
  return [c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, s * distance, 0, distance - c * distance, 1];
}

const noDepth = ({ intrinsics: { width, height } }: FrameShape): DepthArray =>
  ndarray(new Uint16Array(width * height), [height, width]);

export function drawOnCpu(stage: Stage, { shape, points, depth = noDepth(shape) }: Scene): CpuPicture {
  const frame: CpuFrame = { depth, color: undefined, points, picture: undefined };
  stage.twin(shape).run(frame, AGAIN);
  if (!frame.picture) throw new Error("the twin left no picture");
  return frame.picture;
}

/** Uploads points to the GPU in the form in which `compact` leaves them. */
function upload(device: GPUDevice, points: CpuPoints, capacity = Math.max(points.count, 1)): PointCloud {
  const { STORAGE, INDIRECT, COPY_DST } = GPUBufferUsage;
  const buffer = device.createBuffer({ label: "test points", size: capacity * 16, usage: STORAGE | COPY_DST });
  const args = device.createBuffer({ label: "test args", size: POINT_ARGS.size, usage: STORAGE | INDIRECT | COPY_DST });
  refill(device, { buffer, args, capacity }, points);
  return { buffer, args, capacity };
}

export function refill(device: GPUDevice, { buffer, args }: PointCloud, points: CpuPoints): void {
  const n = points.count;
  device.queue.writeBuffer(buffer, 0, points.words, 0, n * 4);
  device.queue.writeBuffer(args, 0, pointArgs(n));
}

interface GpuPicture extends CpuPicture {
  /** The number of list entries requested, and of tiles that got no list. */
  readonly stats: readonly number[];
}

/** Runs a built stage for one frame and reads its picture back. */
export async function draw(device: GPUDevice, built: BuiltStage): Promise<GpuPicture> {
  const { picture } = built.output;
  if (!picture?.stats) throw new Error("the stage left no picture");
  runFrame(device, built);
  const transfer = new Transfer(device, 1);
  const drawn = await transfer.readPicture(picture);
  transfer.destroy();
  return { ...drawn, stats: [...(await readWords(device, picture.stats, 2))] };
}

/** A stage built for a scene whose points and depth are on the GPU. */
export async function build(device: GPUDevice, stage: Stage, scene: Scene) {
  const points = upload(device, scene.points);
  const { width, height } = scene.shape.intrinsics;
  const depth = createDepthImage(device, "test depth", width, height);
  device.queue.writeBuffer(depth.buffer, 0, padded(scene.depth ?? noDepth(scene.shape)));
  const input = { depth, color: undefined, points, picture: undefined };
  const built = await stage.build({ device, shape: scene.shape, input });
  const destroy = () => {
    built.destroy();
    for (const buffer of [points.buffer, points.args, depth.buffer]) buffer.destroy();
  };
  return { ...built, points, destroy };
}

/** Builds, draws once and destroys. */
export async function drawOnGpu(device: GPUDevice, stage: Stage, scene: Scene): Promise<GpuPicture> {
  const built = await build(device, stage, scene);
  const picture = await draw(device, built);
  built.destroy();
  return picture;
}
