import { raysOf } from "../core/calibration/rays.ts";
import type { DepthFrame } from "../core/frame.ts";
import { headed } from "./cdr.ts";
import type { Stamp } from "./ros2.ts";

/** Points in memory, one after the other: x, y, z as f32 in metres, and where there is colour 0x00RRGGBB. */
interface Cloud {
  readonly data: Uint8Array;
  readonly height: number;
  readonly width: number;
  /** Bytes of a point: 12, or 16 with colour. */
  readonly step: number;
  /** Whether all points are valid. */
  readonly isDense: boolean;
}

/** The colour of a point that the colour camera did not see, or that has none. */
export const GREY = 0xb0b0b0;

/**
 * The points of a frame in the camera's optical frame (x right, y down, z forward), straightened by its lens model. Organised: one for each
 * pixel, NaN where there is no measurement or the model has no ray. Otherwise the valid pixels alone, in raster order.
 */
export function cloudOf({ depth, metresPerUnit, intrinsics, color }: DepthFrame, organised: boolean): Cloud {
  const { width, height } = intrinsics;
  const { x, y } = raysOf(intrinsics);
  const step = color ? 16 : 12;
  const words = new Uint32Array((step / 4) * width * height);
  const floats = new Float32Array(words.buffer);
  let at = 0;
  for (let i = 0; i < depth.data.length; i++) {
    const valid = depth.data[i] !== 0 && !Number.isNaN(x[i]);
    if (!valid && !organised) continue;
    const z = valid ? depth.data[i] * metresPerUnit : Number.NaN;
    floats[at] = x[i] * z;
    floats[at + 1] = y[i] * z;
    floats[at + 2] = z;
    if (color) {
      const { data } = color;
      const isUnseen = valid && data[4 * i + 3] === 0;
      words[at + 3] = isUnseen ? GREY : (data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2];
    }
    at += step / 4;
  }
  const size = organised ? { height, width } : { height: 1, width: (4 * at) / step };
  return { data: new Uint8Array(words.buffer, 0, 4 * at), step, isDense: !organised, ...size };
}

/** The number of the type in PointField and PackedElementField, and that of u8 in the latter. */
const FLOAT32 = 7;
const UINT8 = 1;

/** Encodes points as sensor_msgs/PointCloud2 with the fields x, y, z and, as PCL names colour, rgb. */
export function cloudMessage(stamp: Stamp, { data, height, width, step, isDense }: Cloud): Uint8Array {
  const names = step === 16 ? ["x", "y", "z", "rgb"] : ["x", "y", "z"];
  const writer = headed(stamp, data.length).uint32(height).uint32(width).uint32(names.length);
  for (const [i, name] of names.entries()) {
    writer
      .string(name)
      .uint32(4 * i)
      .uint8(FLOAT32)
      .uint32(1);
  }
  writer
    .uint8(0)
    .uint32(step)
    .uint32(step * width)
    .uint8Array(data, true);
  return writer.uint8(isDense ? 1 : 0).data;
}

/** Encodes points as foxglove.PointCloud, in the camera's frame. */
export function foxgloveCloud(stamp: Stamp, { data, step }: Cloud): Uint8Array {
  const writer = headed(stamp, data.length + 256);
  for (const value of [0, 0, 0, 0, 0, 0, 1]) writer.float64(value);
  const floats = ["x", "y", "z"].map((name, i) => [name, 4 * i, FLOAT32] as const);
  // The word of a colour begins with its lowest byte.
  const colours = step === 16 ? ["blue", "green", "red"].map((name, i) => [name, 12 + i, UINT8] as const) : [];
  const fields = [...floats, ...colours];
  writer.uint32(step).uint32(fields.length);
  for (const [name, offset, type] of fields) writer.string(name).uint32(offset).uint8(type);
  return writer.uint8Array(data, true).data;
}
