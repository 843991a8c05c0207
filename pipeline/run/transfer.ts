import type { NdArray } from "ndarray";
import { type ColorArray, type DepthArray, type GreyArray, image } from "../../core/frame.ts";
import { POSE_BYTES, packPose, unpackPose } from "../../stages/core/packPose.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import {
  type ColorImage,
  type DepthImage,
  type FrameResources,
  type Picture,
  POINT_ARGS,
  type PointCloud,
  pointArgs,
} from "../../stages/core/resources.ts";
import type { CpuPicture, CpuPoints } from "../../stages/core/stage.ts";
import { Readback } from "./readback.ts";

/**
 * Copies resources between CPU and GPU. A `write…` method is a queue write; it repacks rows only where the width is no multiple of 8. A
 * `read…` method records its copy before it returns, so it reads the frame submitted last.
 */
export class Transfer {
  readonly #depthRows: Uint16Array<ArrayBuffer>;
  readonly #colorRows: Uint8Array<ArrayBuffer>;
  readonly #readback: Readback;

  constructor(
    readonly device: GPUDevice,
    /** Pixels of the largest image, padding of rows included. */
    readonly pixels: number,
  ) {
    this.#depthRows = new Uint16Array(pixels);
    this.#colorRows = new Uint8Array(pixels * 4);
    this.#readback = new Readback(device);
  }

  writeDepth(depth: DepthArray, image: DepthImage): void {
    const [rows, width] = depth.shape;
    this.#write(image.buffer, depth.data, this.#depthRows, rows, width, image.stride);
  }

  /** Writes a grey image as if it were depth. */
  writeGrey(grey: GreyArray, image: DepthImage): void {
    const [rows, width] = grey.shape;
    // The rows' memory serves to make 16 bits of 8 as well.
    pad(this.#depthRows, grey.data, rows, width, image.stride);
    this.#write(image.buffer, this.#depthRows, this.#depthRows, rows, image.stride, image.stride);
  }

  writeColor(color: ColorArray, image: ColorImage): void {
    const [rows, width] = color.shape;
    this.#write(image.buffer, color.data, this.#colorRows, rows, width * 4, image.stride * 4);
  }

  #write<A extends Uint16Array | Uint8Array>(
    buffer: GPUBuffer,
    data: A,
    padded: Uint16Array | Uint8Array,
    rows: number,
    row: number,
    pitch: number,
  ) {
    if (row !== pitch) pad(padded, data, rows, row, pitch);
    const bytes = row === pitch ? data : padded;
    this.device.queue.writeBuffer(
      buffer,
      0,
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset,
      rows * pitch * bytes.BYTES_PER_ELEMENT,
    );
  }

  writePoints(points: CpuPoints, cloud: PointCloud): void {
    const { queue } = this.device;
    const n = points.count;
    queue.writeBuffer(cloud.buffer, 0, points.floats.buffer as ArrayBuffer, points.floats.byteOffset, n * 16);
    queue.writeBuffer(cloud.args, 0, pointArgs(n));
  }

  writePicture({ width, height, rgba, depth }: CpuPicture, picture: Picture): void {
    const { queue } = this.device;
    queue.writeTexture({ texture: picture.color }, rgba as Uint8ClampedArray<ArrayBuffer>, { bytesPerRow: width * 4 }, [
      width,
      height,
    ]);
    queue.writeTexture({ texture: picture.depth }, depth as Float32Array<ArrayBuffer>, { bytesPerRow: width * 4 }, [
      width,
      height,
    ]);
  }

  async readDepth({ buffer, width, height, stride }: DepthImage): Promise<DepthArray> {
    const rows = new Uint16Array(await this.#readBuffer(buffer, 0, buffer.size));
    return image(unpad(rows, width, height, stride), [height, width]);
  }

  /** Reads a colour image that a stage made, of the same size as `depth`. The source's own colour buffer lacks the usage COPY_SRC. */
  async readColor(
    { buffer, stride }: ColorImage,
    { width, height }: Pick<DepthImage, "width" | "height">,
  ): Promise<ColorArray> {
    const rows = new Uint8Array(await this.#readBuffer(buffer, 0, buffer.size));
    return image(unpad(rows, width * 4, height, stride * 4), [height, width, 4]);
  }

  /** Reads the points back. Copies the buffer's whole capacity, since only the GPU knows the count; `count` says how many are valid. */
  async readPoints(cloud: PointCloud): Promise<CpuPoints> {
    const [count, bytes] = await Promise.all([
      this.readPointCount(cloud),
      this.#readBuffer(cloud.buffer, 0, cloud.buffer.size),
    ]);
    return { floats: new Float32Array(bytes), words: new Uint32Array(bytes), count };
  }

  async readPointCount({ args }: PointCloud): Promise<number> {
    return new Uint32Array(await this.#readBuffer(args, POINT_ARGS.count, 4))[0];
  }

  async readPicture({ color, depth }: Picture): Promise<CpuPicture> {
    const { width, height } = color;
    const [rgba, metres] = await Promise.all([this.#readTexture(color), this.#readTexture(depth)]);
    return { width, height, rgba: new Uint8ClampedArray(rgba), depth: new Float32Array(metres) };
  }

  writePose(pose: CameraPose, { buffer }: NonNullable<FrameResources["pose"]>): void {
    this.device.queue.writeBuffer(buffer, 0, packPose(pose));
  }

  async readPose({ buffer }: NonNullable<FrameResources["pose"]>): Promise<CameraPose> {
    return unpackPose(await this.#readBuffer(buffer, 0, POSE_BYTES));
  }

  /** Frees the buffers through which it reads. Reads under way still end. */
  destroy(): void {
    this.#readback.destroy();
  }

  #readTexture(texture: GPUTexture): Promise<ArrayBuffer> {
    const { width, height } = texture;
    const bytesPerRow = Math.ceil((width * 4) / 256) * 256;
    return this.#readback
      .read(bytesPerRow * height, (encoder, buffer) => {
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      })
      .then((bytes) => unpad(new Uint8Array(bytes), width * 4, height, bytesPerRow).buffer);
  }

  #readBuffer(source: GPUBuffer, offset: number, size: number): Promise<ArrayBuffer> {
    return this.#readback.read(size, (encoder, buffer) => encoder.copyBufferToBuffer(source, offset, buffer, 0, size));
  }
}

/** Copies the points into an array of shape `[n, 4]`, as the user receives them. */
export function pointsToArray({ floats, count }: CpuPoints): NdArray<Float32Array> {
  return image(floats.slice(0, count * 4), [count, 4]);
}

/** Spreads tight rows to `pitch` values each. What lies between them becomes 0, since an earlier frame may have had wider rows. */
function pad(
  padded: Uint16Array | Uint8Array,
  data: Uint16Array | Uint8Array,
  rows: number,
  row: number,
  pitch: number,
) {
  for (let y = 0; y < rows; y++) {
    padded.set(data.subarray(y * row, (y + 1) * row), y * pitch);
    padded.fill(0, y * pitch + row, (y + 1) * pitch);
  }
}

function unpad<A extends Uint16Array | Uint8Array>(padded: A, row: number, rows: number, pitch: number): A {
  if (row === pitch) return padded;
  const tight = padded.slice(0, row * rows) as A;
  for (let y = 0; y < rows; y++) tight.set(padded.subarray(y * pitch, y * pitch + row), y * row);
  return tight;
}
