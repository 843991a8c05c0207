import type { PairGeometry } from "../../core/frame.ts";

/**
 * The GPU resources that stages hand on by name. Each stage reads some and replaces others. All are allocated when the pipeline is built
 * and hold the newest frame submitted.
 */
export interface FrameResources {
  /** Filtered depth. */
  readonly depth: DepthImage;
  /** Colours, if the frame has any. */
  readonly color: ColorImage | undefined;
  /** Points, if a stage makes any. */
  readonly points: PointCloud | undefined;
  /** The picture, if a stage makes one. */
  readonly picture: Picture | undefined;
  /** The source's depth, in the source's size and the filters' unit, untouched by the filters. Only `undistort` replaces it. */
  readonly raw?: DepthImage | undefined;
  /** The two images that depth can be matched from, of the same size as the source's depth, if the frame has them. */
  readonly pair?: PairImages | undefined;
  /** Depth to show in place of `depth`, of the same size. Readback and recording use `depth` in any case. */
  readonly shown?: DepthImage | undefined;
  /** The camera's pose, if a stage finds one: a storage buffer of `POSE_BYTES` (see packPose.ts). */
  readonly pose?:
    | {
        /** Has the usages STORAGE, COPY_SRC and COPY_DST. */
        readonly buffer: GPUBuffer;
      }
    | undefined;
}

/**
 * Depth in a storage buffer: two u16 per u32 word, the left pixel in the low half. `stride` is the width rounded up to a multiple of 8
 * pixels, so that rows start on 16 bytes; the pixels past the width are 0, which means invalid.
 */
export interface DepthImage {
  /** Has the usages STORAGE, COPY_SRC and COPY_DST. */
  readonly buffer: GPUBuffer;
  /** Pixels in a row, without padding. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Pixels from one row to the next. */
  readonly stride: number;
}

/** Colour in a storage buffer: one u32 word per pixel (r | g << 8 | b << 16 | a << 24), registered to the depth, rows of `stride` words. */
export interface ColorImage {
  /** Has the usage STORAGE. */
  readonly buffer: GPUBuffer;
  /** Pixels from one row to the next. */
  readonly stride: number;
}

/** The two images of a `StereoPair`, brightness in the place of depth. */
export interface PairImages extends PairGeometry {
  /** The left camera's image. */
  readonly left: DepthImage;
  /** The right camera's image. */
  readonly right: DepthImage;
}

/**
 * Compacted points in raster order, `capacity` × 16 bytes: x, y, z as f32 in metres in the sensor's frame (x right, y down, z forward),
 * then the RGBA colour word. The buffer also has the usage VERTEX.
 */
export interface PointCloud {
  /** The points. */
  readonly buffer: GPUBuffer;
  /** The most points that the buffer can hold. */
  readonly capacity: number;
  /** u32 words: see `POINT_ARGS`. Has the usage INDIRECT, so that draws and dispatches need no readback of the count. */
  readonly args: GPUBuffer;
}

/** Byte offsets into `PointCloud.args`; n is the number of points. */
export const POINT_ARGS = {
  /** drawIndirect with the points as vertices: vertexCount = n, instanceCount 1, firstVertex 0, firstInstance 0. */
  drawPoints: 0,
  /** drawIndirect with the points as instances of a quad: vertexCount 6, instanceCount = n, 0, 0. */
  drawQuads: 16,
  /**
   * dispatchWorkgroupsIndirect: ceil(n / 256), 1, 1. More than 65,535 workgroups, the most in one dimension, are in rows, the last of which
   * may be longer than needed: the invocation `id` has the point id.x + id.y · 256 · num_workgroups.x, if that is below n.
   */
  dispatch: 32,
  /** n, the number of points. */
  count: 44,
  /** Bytes of all arguments. */
  size: 48,
} as const;

/** The words of `PointCloud.args` for `n` points; shaders/compact/points.wgsl writes the same ones on the GPU. */
export function pointArgs(n: number): Uint32Array<ArrayBuffer> {
  const groups = Math.ceil(n / 256);
  const rows = Math.max(Math.ceil(groups / 65535), 1);
  return Uint32Array.of(n, 1, 0, 0, 6, n, 0, 0, Math.ceil(groups / rows), rows, 1, n);
}

/** The rendered picture. Texture coordinate (0, 0) is the top left. */
export interface Picture {
  /** Format rgba8unorm. */
  readonly color: GPUTexture;
  /** Format r32float: distance along the camera's optical axis in metres, 0 where nothing was drawn. */
  readonly depth: GPUTexture;
  /** Two u32 for the newest frame: the entries of all tile lists, and the number of tiles whose list had no room (they stay empty). */
  readonly stats?: GPUBuffer;
}

/** The pixels in a row of a depth or colour buffer, padding included. */
export const strideOf = (width: number): number => Math.ceil(width / 8) * 8;

/** Makes a depth image with a buffer of its own, all pixels invalid. The caller destroys the buffer. */
export function createDepthImage(device: GPUDevice, label: string, width: number, height: number): DepthImage {
  const stride = strideOf(width);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return { buffer: device.createBuffer({ label, size: stride * height * 2, usage }), width, height, stride };
}

/** Which frame a stage sees; stages that remember earlier frames need this. */
export interface FrameContext {
  /** The frame's position in its source. */
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  /** True for a new frame. False if the last frame runs again (a redraw, tuning, a measurement): memory then stays as it is. */
  readonly fresh: boolean;
  /**
   * True if the frame continues the one before it. False after a seek, a gap or a loop, and for the first frame of a source: what the stage
   * remembers is then invalid.
   */
  readonly follows: boolean;
  /** True for the first frame of a stream that does not go on where the one before ended: a stage then forgets all frames before. */
  readonly begins?: boolean | undefined;
  /** The camera's pose, if the frame has one: see `DepthFrame.pose`. */
  readonly pose?: readonly number[] | undefined;
}

/** For callers that run a stage repeatedly on one frame. */
export const AGAIN: FrameContext = { index: 0, timestamp: 0, fresh: false, follows: false };

/**
 * The memory of a stage: two objects, one read and one written, which swap with each new frame, so that nothing is copied.
 *
 *     frame 0: writes a | frame 1: reads a, writes b | again: reads a, writes b | frame 2: reads b, writes a
 */
export class PingPong<T> {
  #now: 0 | 1 = 0;
  #written = false;
  #continues = false;
  #past = false;

  constructor(
    /** The two objects, which take turns. */
    readonly pair: readonly [T, T],
  ) {}

  /** Returns the index of the object to write; call this exactly once per run. Read the other object only if `continues` is true. */
  take({ fresh, follows, begins }: FrameContext): 0 | 1 {
    if (fresh) {
      this.#now = this.#now === 0 ? 1 : 0;
      this.#continues = follows && this.#written;
      this.#past = this.#written && !begins;
      this.#written = true;
    }
    return this.#now;
  }

  /** Whether the object to read describes the frame before this one. */
  get continues(): boolean {
    return this.#continues;
  }

  /** Whether the object to read describes an earlier frame of the same stream, even one that this frame does not follow. */
  get hasPast(): boolean {
    return this.#past;
  }

  /** Makes the next frame begin without memory. */
  forget(): void {
    this.#written = false;
  }
}
