/** A channel of an OpenEXR image. */
export interface Channel {
  readonly name: string;
  /** The sample type: 0 whole numbers of 32 bits, 1 floats of 16, 2 floats of 32. */
  readonly type: number;
  /** The number of pixels per sample along an axis: 1 where every pixel has a sample. */
  readonly sampling: number;
}

export const bytesOf = ({ type }: Channel): number => (type === 1 ? 2 : 4);

/** Names of layers and channels that hold directions or positions, whatever letters their channels have. */
const VECTORS = /normal|position|point|vector|velocity|motion|flow|^uv|\.uv/i;
/** Names of depth channels, the surest first. A Z whose layer also has X and Y is a coordinate. */
const DEPTH: readonly RegExp[] = [/^Z$/i, /(^|\.)(z?depth|z_?buffer|dist(ance)?_?to_?camera)(\.[A-Z])?$/i, /\.Z$/i];
/** Names of channels that may stand beside a single depth channel, since they do not say what the image is. */
const BESIDE = /(^|\.)(A|alpha|ZBack)$/i;

/**
 * Finds the depth channels by their names. Returns the position in `channels` of one channel, or of R, G and B: some programs write depth
 * as three equal channels. Returns a sentence for an image that is something else.
 *
 *     Z, depth, View.Depth.Z     one channel of that name, whatever else is there
 *     Y, R, V, anything          the only channel beside alpha
 *     R G B                      depth where they are equal
 *     X Y Z, Normal.X …          normals or points: no depth
 */
export function depthChannels(channels: readonly Channel[]): readonly number[] | string {
  const names = channels.map(({ name }) => name);
  const has = (name: string) => names.some((other) => other.toLowerCase() === name.toLowerCase());
  const isCoordinate = (name: string) =>
    VECTORS.test(name) || (/(^|\.)Z$/i.test(name) && has(name.replace(/Z$/i, "X")) && has(name.replace(/Z$/i, "Y")));
  for (const pattern of DEPTH) {
    const at = names.findIndex((name) => pattern.test(name) && !isCoordinate(name));
    if (at >= 0) return [at];
  }
  const left = names.flatMap((name, at) => (BESIDE.test(name) ? [] : [at]));
  const [only] = left;
  if (left.length === 1 && !VECTORS.test(names[only])) return [only];
  const colors = ["R", "G", "B"].map((color) => names.indexOf(color));
  if (left.length === 3 && colors.every((at) => at >= 0)) return colors;
  const what = names.some(isCoordinate) ? "normals, points or directions" : "colour, or several things";
  return `its channels (${names.slice(0, 12).join(", ")}${names.length > 12 ? " …" : ""}) are ${what}, and none is depth; save depth in a channel named Z`;
}
