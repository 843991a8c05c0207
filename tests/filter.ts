import type { ColorArray, DepthArray, FrameShape } from "../core/frame.ts";
import { AGAIN, createDepthImage } from "../stages/core/resources.ts";
import type { CpuFrame, Stage } from "../stages/core/stage.ts";
import { expectImage, fillWords, image, padded, readWords, runFrame } from "./gpu.ts";

// Running one stage that makes depth of depth, by its twin and by its kernels.

/** The shape of a frame of `depth`, in millimetres unless told otherwise. */
export function shapeFor(depth: DepthArray, metresPerUnit = 0.001): FrameShape {
  const [height, width] = depth.shape;
  const intrinsics = { fx: 525, fy: 525, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { metresPerUnit, intrinsics };
}

/** All that the twin leaves. */
export function runTwin(stage: Stage, depth: DepthArray, shape = shapeFor(depth), color?: ColorArray): CpuFrame {
  const frame: CpuFrame = { depth, color, points: undefined, picture: undefined };
  stage.twin(shape).run(frame, AGAIN);
  return frame;
}

/** The kernels' output: rows as they lie in the buffers, padding included. The buffers are prefilled with a sentinel. */
async function runKernels(device: GPUDevice, stage: Stage, given: DepthArray, shape: FrameShape, colors?: ColorArray) {
  const [height, width] = given.shape;
  const depth = createDepthImage(device, "test", width, height);
  device.queue.writeBuffer(depth.buffer, 0, padded(given));
  const buffer = device.createBuffer({
    label: "test colours",
    size: depth.stride * height * 4,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  if (colors) device.queue.writeBuffer(buffer, 0, paddedColors(colors, depth.stride));
  const color = colors && { buffer, stride: depth.stride };
  const built = await stage.build(device, shape, { depth, color, points: undefined, picture: undefined });
  const { output } = built;
  if (!output.depth) throw new Error(`${stage.name} leaves no depth`);
  fillWords(device, output.depth.buffer, 0xdeadbeef);
  if (output.color) fillWords(device, output.color.buffer, 0xdeadbeef);
  runFrame(device, built);
  const words = await readWords(device, output.depth.buffer);
  const colorWords = output.color && (await readWords(device, output.color.buffer));
  built.destroy();
  depth.buffer.destroy();
  buffer.destroy();
  return { depth: new Uint16Array(words.buffer), color: colorWords && new Uint8Array(colorWords.buffer) };
}

function paddedColors({ data, shape: [height, width] }: ColorArray, stride: number): Uint8Array<ArrayBuffer> {
  const rows = new Uint8Array(stride * height * 4);
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * width * 4, (y + 1) * width * 4), y * stride * 4);
  return rows;
}

/** Throws, saying where, unless the kernels leave what the twin leaves, and 0 in the padding. */
export async function expectTwin(
  device: GPUDevice,
  stage: Stage,
  depth: DepthArray,
  name: string,
  { shape = shapeFor(depth), color }: { readonly shape?: FrameShape; readonly color?: ColorArray | undefined } = {},
): Promise<void> {
  const twin = runTwin(stage, depth, shape, color);
  const expected = padded(image(twin.depth.data, twin.depth.shape[1]));
  const width = expected.length / twin.depth.shape[0];
  const got = await runKernels(device, stage, depth, shape, color);
  expectImage(got.depth, expected, { width, name, tolerance: stage.depthTolerance });
  if (!got.color || !twin.color) return;
  expectImage(got.color, paddedColors(twin.color, width), { width, channels: 4, name: `${name}, colours` });
}

/**
 * Image sizes around the pixels that a workgroup of a kernel processes: a pixel less, as many, and a pixel more. Each invocation processes
 * `across` × `down` pixels; the shader's text says how many invocations there are, so that the sizes follow a change of it.
 */
export function aroundWorkgroup(code: string, [across, down]: readonly [number, number]): [number, number][] {
  const [, size = ""] = /@workgroup_size\(([^)]*)\)/.exec(code) ?? [];
  const numbers = size
    .split(",")
    .map((text) => new RegExp(`const ${text.trim()}\\s*=\\s*(\\d+)`).exec(code)?.[1] ?? text);
  const [columns, rows = 1] = numbers.map(Number);
  if (!columns || !rows) throw new Error(`the workgroup's size is no number: ${size}`);
  return [-1, 0, 1].map((more) => [across * columns + more, Math.max(1, down * rows + more)]);
}
