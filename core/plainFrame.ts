import { type DepthFrame, image, type PairGeometry } from "./frame.ts";
import { fileOf, withFile } from "./pictureFile.ts";

type Grey = Uint8Array | Uint16Array;

/** A frame whose images are plain arrays, which can be sent between threads: transferred without a copy. */
export type PlainFrame = Omit<DepthFrame, "depth" | "color" | "pair" | "waitUntil" | "firstFrames"> & {
  readonly depth: Uint16Array;
  readonly color?: Uint8Array | undefined;
  /** The PNG or JPEG that `color` was decoded from, where it is known. */
  readonly colorFile?: Uint8Array | undefined;
  readonly pair?: (PairGeometry & { readonly left: Grey; readonly right: Grey }) | undefined;
};

/**
 * The frame with plain arrays. An array that is a part of a larger buffer is copied, because the whole buffer would be sent. The frame's
 * functions (`waitUntil`, `firstFrames`) are left out, since a function cannot be sent.
 */
export function plainOf(frame: DepthFrame): PlainFrame {
  const { depth, color, infrared, pair, waitUntil: _, firstFrames: __, ...rest } = frame;
  const file = fileOf(color?.data);
  return {
    ...rest,
    ...(file && { colorFile: whole(file) }),
    ...(pair && { pair: { ...pair, left: whole(pair.left.data), right: whole(pair.right.data) } }),
    depth: whole(depth.data),
    ...(color && { color: whole(color.data) }),
    ...(infrared && { infrared: { ...infrared, data: whole(infrared.data) } }),
  };
}

const whole = <T extends Uint16Array | Uint8Array>(array: T): T =>
  array.byteLength === array.buffer.byteLength ? array : (array.slice() as T);

/** The frame's depth and the notes about it, to be copied by `postMessage`. */
export const depthOf = ({
  depth,
  index,
  timestamp,
  metresPerUnit,
  intrinsics,
  assumed,
  metadata,
}: DepthFrame): PlainFrame => ({
  depth: depth.data,
  index,
  timestamp,
  metresPerUnit,
  intrinsics,
  ...(assumed && { assumed }),
  ...(metadata && { metadata }),
});

/** The frame with images again. */
export function frameOf({ depth, color, colorFile, pair, ...rest }: PlainFrame): DepthFrame {
  const { width, height } = rest.intrinsics;
  const grey = (data: Grey) => image(data, [height, width]);
  return {
    ...rest,
    depth: image(depth, [height, width]),
    ...(color && { color: image(colorFile ? withFile(color, colorFile) : color, [height, width, 4]) }),
    ...(pair && { pair: { ...pair, left: grey(pair.left), right: grey(pair.right) } }),
  };
}

/** The memory of a frame, to be transferred. */
export const buffersOf = ({ depth, color, infrared, pair }: PlainFrame): ArrayBuffer[] =>
  [depth, color, infrared?.data, pair?.left, pair?.right].flatMap((array) =>
    array?.buffer instanceof ArrayBuffer ? [array.buffer] : [],
  );
