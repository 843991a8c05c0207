import { type DepthFrame, type FrameShape, image } from "../../../core/frame.ts";
import type { CpuFrame } from "../../../stages/core/stage.ts";
import { Layout } from "../../../stages/core/wasm.ts";
import type { FramePlaces, PackedFrame, Placed } from "./messages.ts";

/** Returns `spare` if it is large enough, else a new block, which is reused from then on. */
const blockOf = (spare: ArrayBuffer | undefined, bytes: number): ArrayBuffer =>
  spare && spare.byteLength >= bytes ? spare : new ArrayBuffer(bytes);

/** Copies a frame's depth, colour and pair into a block, and tells their places. */
export function packFrame({ depth, color, pair }: DepthFrame, spare: ArrayBuffer | undefined) {
  const layout = new Layout();
  layout.take(depth.data.byteLength);
  const colorAt = color && layout.take(color.data.byteLength);
  const isWide = pair?.left.data instanceof Uint16Array || pair?.right.data instanceof Uint16Array;
  const bytes = depth.data.length * (isWide ? 2 : 1);
  const places = pair && {
    ...{ leftAt: layout.take(bytes), rightAt: layout.take(bytes), isWide },
    ...{ baselineM: pair.baselineM, doffsPx: pair.doffsPx },
  };
  const block = blockOf(spare, layout.bytes);
  new Uint16Array(block).set(depth.data);
  if (color) new Uint8Array(block).set(color.data, colorAt);
  if (pair && places) {
    greyIn(block, places.leftAt, isWide, depth.data.length).set(pair.left.data);
    greyIn(block, places.rightAt, isWide, depth.data.length).set(pair.right.data);
  }
  return { block, colorAt, pair: places };
}

const greyIn = (block: ArrayBuffer, at: number, isWide: boolean, pixels: number) =>
  isWide ? new Uint16Array(block, at, pixels) : new Uint8Array(block, at, pixels);

/** Views of the images that `packFrame` wrote into a block. */
export function imagesIn(block: ArrayBuffer, { colorAt, pair }: FramePlaces, { intrinsics }: FrameShape) {
  const { width, height } = intrinsics;
  const grey = (at: number, isWide: boolean) => image(greyIn(block, at, isWide, width * height), [height, width]);
  return {
    depth: depthIn(block, { at: 0, width, height }),
    ...(colorAt !== undefined && { color: colorIn(block, { at: colorAt, width, height }) }),
    ...(pair && {
      pair: {
        left: grey(pair.leftAt, pair.isWide),
        right: grey(pair.rightAt, pair.isWide),
        baselineM: pair.baselineM,
        doffsPx: pair.doffsPx,
      },
    }),
  };
}

/**
 * Copies a frame's results into a block. Reserves room for the largest number of points, so that every frame can reuse the block. `source`
 * is the block that the frame itself came in: what still lies there is not copied.
 */
export function pack(frame: CpuFrame, source: ArrayBuffer | undefined, spare: ArrayBuffer | undefined) {
  const { depth, raw, shown, color, points, picture, pose } = frame;
  const layout = new Layout();
  const depthAt = layout.take(depth.data.byteLength);
  const shownAt = layout.take(shown?.data.byteLength ?? 0);
  const straight = raw && raw.data.buffer !== source;
  const rawAt = layout.take(straight ? raw.data.byteLength : 0);
  const own = color && color.data.buffer !== source;
  const colorAt = layout.take(own ? color.data.byteLength : 0);
  const pointsAt = layout.take(points?.floats.byteLength ?? 0);
  const pictureAt = layout.take(picture?.rgba.byteLength ?? 0);
  const distancesAt = layout.take(picture?.depth.byteLength ?? 0);
  const block = blockOf(spare, layout.bytes);
  const bytes = new Uint8Array(block);
  const put = ({ buffer, byteOffset }: ArrayBufferView, at: number, length: number) =>
    bytes.set(new Uint8Array(buffer, byteOffset, length), at);
  put(depth.data, depthAt, depth.data.byteLength);
  if (shown) put(shown.data, shownAt, shown.data.byteLength);
  if (straight) put(raw.data, rawAt, raw.data.byteLength);
  if (own) put(color.data, colorAt, color.data.byteLength);
  if (points) put(points.floats, pointsAt, points.count * 16);
  if (picture) put(picture.rgba, pictureAt, picture.rgba.byteLength);
  if (picture) put(picture.depth, distancesAt, picture.depth.byteLength);
  const made: PackedFrame = {
    depth: placed(depth, depthAt),
    raw: straight ? placed(raw, rawAt) : "source",
    shown: shown && placed(shown, shownAt),
    color: own ? placed(color, colorAt) : color && "source",
    points: points && { at: pointsAt, count: points.count },
    picture: picture && { at: pictureAt, distancesAt, width: picture.width, height: picture.height },
    pose,
  };
  return { made, block };
}

const placed = (
  { shape: [height, width] }: CpuFrame["depth"] | NonNullable<CpuFrame["color"]>,
  at: number,
): Placed => ({ at, width, height });

/** Views of the results that `pack` wrote into a block. `source` provides the arrays that were not sent back. */
export function unpack(
  { depth, raw, shown, color, points, picture, pose }: PackedFrame,
  block: ArrayBuffer,
  source: DepthFrame,
): CpuFrame {
  const floats = points && new Float32Array(block, points.at, points.count * 4);
  const pixels = picture ? picture.width * picture.height : 0;
  return {
    depth: depthIn(block, depth),
    raw: raw === "source" ? source.depth : depthIn(block, raw),
    shown: shown && depthIn(block, shown),
    color: color === "source" ? source.color : color && colorIn(block, color),
    pose,
    points: floats && { floats, words: new Uint32Array(block, points.at, floats.length), count: points.count },
    picture: picture && {
      width: picture.width,
      height: picture.height,
      rgba: new Uint8ClampedArray(block, picture.at, pixels * 4),
      depth: new Float32Array(block, picture.distancesAt, pixels),
    },
  };
}

const depthIn = (block: ArrayBuffer, { at, width, height }: Placed) =>
  image(new Uint16Array(block, at, width * height), [height, width]);

const colorIn = (block: ArrayBuffer, { at, width, height }: Placed) =>
  image(new Uint8Array(block, at, width * height * 4), [height, width, 4]);
