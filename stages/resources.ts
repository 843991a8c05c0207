/**
 * The named GPU resources that travel along the stages. Each stage reads some and leaves others in their place.
 * They are made when the pipeline is built; their contents are those of the newest frame submitted.
 */
export interface FrameResources {
  readonly depth: DepthImage;
  readonly color: ColorImage | undefined;
  readonly points: PointCloud | undefined;
  readonly picture: Picture | undefined;
  /** Depth as it came, of the source's size, whatever the filters made of it. Nobody leaves another, but for its lens. */
  readonly raw?: DepthImage | undefined;
  /** What is to be seen in place of `depth`, of its size; what is read and recorded is `depth` in any case. */
  readonly shown?: DepthImage | undefined;
}

/**
 * Depth, two u16 in each u32 word, the left pixel in the low half. Rows start on 16 bytes: `stride` is the width rounded
 * up to a multiple of 8 pixels, and the pixels past the width are 0, which is to say invalid.
 */
export interface DepthImage {
  readonly buffer: GPUBuffer;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
}

/** Colour, a word a pixel (r | g << 8 | b << 16 | a << 24), rows of `stride` words like the depth they are registered to. */
export interface ColorImage {
  readonly buffer: GPUBuffer;
  readonly stride: number;
}

/**
 * Compacted points in raster order, `capacity` × 16 bytes: x, y, z in metres in the sensor's frame (x right, y down,
 * z forward) as f32, then the colour's word. The buffer can be a vertex buffer.
 */
export interface PointCloud {
  readonly buffer: GPUBuffer;
  readonly capacity: number;
  /** u32 words: see `POINT_ARGS`. Usable as an indirect buffer, so that no count is read back on the frame's way. */
  readonly args: GPUBuffer;
}

/** Byte offsets into `PointCloud.args`. */
export const POINT_ARGS = {
  /** drawIndirect with the points as vertices: vertexCount = n, instanceCount 1, firstVertex 0, firstInstance 0. */
  drawPoints: 0,
  /** drawIndirect with the points as instances of a quad: vertexCount 6, instanceCount = n, 0, 0. */
  drawQuads: 16,
  /** dispatchWorkgroupsIndirect: ceil(n / 256), 1, 1. */
  dispatch: 32,
  /** n itself. */
  count: 44,
  size: 48,
} as const;

/** The rendered picture, texture coordinates with (0, 0) at the top left. */
export interface Picture {
  /** rgba8unorm. */
  readonly color: GPUTexture;
  /** r32float: distance along the camera's optical axis in metres, 0 where nothing was drawn. */
  readonly depth: GPUTexture;
  /** Two u32 of the newest frame: entries its tile lists asked for, tiles whose list had no room (they stay empty). */
  readonly stats?: GPUBuffer;
}

/** Pixels in a row of a depth or colour buffer. */
export const strideOf = (width: number): number => Math.ceil(width / 8) * 8;

/** A depth image of its own buffer, all invalid. The caller destroys the buffer. */
export function createDepthImage(device: GPUDevice, label: string, width: number, height: number): DepthImage {
  const stride = strideOf(width);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return { buffer: device.createBuffer({ label, size: stride * height * 2, usage }), width, height, stride };
}
