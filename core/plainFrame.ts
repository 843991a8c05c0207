import { type DepthFrame, image } from "./frame.ts";

/** A frame whose images are plain arrays, which can be sent between threads: transferred without a copy. */
export type PlainFrame = Omit<DepthFrame, "depth" | "color" | "waitUntil"> & {
  readonly depth: Uint16Array;
  readonly color?: Uint8Array | undefined;
};

/** The frame with plain arrays: its own memory, or a copy of what is a part of a larger buffer, which would be sent as a whole. */
export const plainOf = ({ depth, color, infrared, waitUntil: _, ...rest }: DepthFrame): PlainFrame => ({
  ...rest,
  depth: whole(depth.data),
  ...(color && { color: whole(color.data) }),
  ...(infrared && { infrared: { ...infrared, data: whole(infrared.data) } }),
});

const whole = <T extends Uint16Array | Uint8Array>(array: T): T =>
  array.byteLength === array.buffer.byteLength ? array : (array.slice() as T);

/** The frame's depth and the notes about it, to be copied by `postMessage`. */
export const depthOf = ({ depth, index, timestamp, metresPerUnit, intrinsics, metadata }: DepthFrame): PlainFrame => ({
  ...{ depth: depth.data, index, timestamp, metresPerUnit, intrinsics },
  ...(metadata && { metadata }),
});

/** The frame with images again. */
export function frameOf({ depth, color, ...rest }: PlainFrame): DepthFrame {
  const { width, height } = rest.intrinsics;
  return { ...rest, depth: image(depth, [height, width]), ...(color && { color: image(color, [height, width, 4]) }) };
}

/** The memory of a frame, to be transferred. */
export const buffersOf = ({ depth, color, infrared }: PlainFrame): ArrayBuffer[] =>
  [depth, color, infrared?.data].flatMap((array) => (array?.buffer instanceof ArrayBuffer ? [array.buffer] : []));
