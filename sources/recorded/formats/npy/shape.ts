/** An array's axes interpreted as depth images of one size. */
interface Stack {
  readonly frames: number;
  readonly height: number;
  readonly width: number;
}

/** The most values side by side that count as the channels of a pixel, or the coordinates of a point; an image is wider. */
const MOST_CHANNELS = 4;
/** An array this many times as tall as wide is a table with a row for each point, not an image; in a stack its last axis counts frames. */
const TALLEST = 100;
const TALLEST_IN_STACK = 8;

/**
 * Interprets the axes of an array as a stack of depth images. For an array that cannot be a stack, it returns a sentence that says what the
 * array is. The first matching rule applies:
 *
 *     H×W                                     one image
 *     H×W×1, 1×H×W                            one image
 *     N×H×W                                   N images, though 3×H×W may be meant as channels: a warning says how it was taken
 *     N×H×W×1, N×1×H×W                        N images
 *     H×W×2 to H×W×4, N×H×W×3, N×3×H×W        refused: colour, normals or points
 *     N×2 to N×4, or far taller than wide     refused: a list of points
 */
export function stackOf(axes: readonly number[]): Stack | string {
  const [width = 0, height = 0] = axes.toReversed();
  const [first] = axes;
  const isChannels = (count: number) => count > 1 && count <= MOST_CHANNELS;
  const vectors = (count: number) =>
    `an array with ${count} values in each pixel (colour, normals or points), not depth; save its channel of depth, H×W`;
  const images = (frames: number, h: number, w: number): Stack | string =>
    isChannels(w) || h > TALLEST * w
      ? `a table of ${h} rows of ${w}, as a list of points has, not an image; save the depth images that it was made of`
      : { frames, height: h, width: w };

  if (axes.length === 2) return images(1, height, width);
  if (axes.length === 3) {
    if (isChannels(width)) return vectors(width);
    if (width === 1) return images(1, first, height);
    return height > TALLEST_IN_STACK * width
      ? `a stack whose last axis counts images, as it seems; save numpy.moveaxis(depth, -1, 0)`
      : images(first, height, width);
  }
  if (axes.length === 4) {
    if (isChannels(width)) return vectors(width);
    const [, second, third] = axes;
    if (width === 1) return images(first, second, third);
    if (second === 1) return images(first, third, width);
    if (isChannels(second)) return vectors(second);
  }
  return "no stack of depth images: H×W, N×H×W and N×H×W×1 are";
}

/** Whether an array of three axes may be one image with its channels first, as PyTorch orders them. */
export const mayBeChannels = (axes: readonly number[]): boolean =>
  axes.length === 3 && (axes[0] === 3 || axes[0] === 4);
