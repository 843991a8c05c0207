import { type DepthFrame, image } from "../../core/frame.ts";
import type { PlainFrame } from "./messages.ts";

/** The frame with plain arrays, each with a buffer of its own, which can be transferred. */
export function plainFrame({ depth, color, waitUntil: _, ...rest }: DepthFrame): PlainFrame {
  return { ...rest, depth: whole(depth.data), ...(color && { color: whole(color.data) }) };
}

const whole = <T extends Uint16Array | Uint8Array>(array: T): T =>
  array.byteLength === array.buffer.byteLength ? array : (array.slice() as T);

/** What is transferred with the frame. */
export const buffersOf = ({ depth, color }: PlainFrame): ArrayBuffer[] =>
  [depth, color].flatMap((array) => (array && array.buffer instanceof ArrayBuffer ? [array.buffer] : []));

/** The frame that was sent. */
export function framed({ depth, color, ...rest }: PlainFrame): DepthFrame {
  const { width, height } = rest.intrinsics;
  return {
    ...rest,
    depth: image(depth, [height, width]),
    ...(color && { color: image(color, [height, width, 4]) }),
  };
}
