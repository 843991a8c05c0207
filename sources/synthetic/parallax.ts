import type { Intrinsics } from "../../core/frame.ts";

/**
 * The pixels of disparity by which a surface must lie behind another to be in its shadow; a smaller difference comes from its own slant.
 */
const BEHIND_PX = 0.75;

/**
 * Removes the depth of what the projector does not reach. The projector stands a baseline to the right of the camera at the same height, so
 * each row of the camera's image is a row of the projector's, and pixel x with disparity d is lit from the projector's column x − d:
 *
 *        camera row      ····BBBBBB··FFFF··     F in front, B behind it
 *                            \\\\\\  ////
 *        projector row   ··BBBB[FFFF]·····      B under F is dark: to the left of F, seen from the camera
 *
 * `steps` is disparity in the sensor's steps, 0 for none, with a border; it is changed in place. `pixelsPerStep` converts a step to pixels
 * of this image.
 */
export function castShadows(steps: Float32Array, border: number, size: Intrinsics, pixelsPerStep: number): void {
  const { width, height } = size;
  const stride = width + 2 * border;
  const behind = BEHIND_PX / pixelsPerStep;
  for (let y = 0; y < height; y++) {
    const row = (y + border) * stride + border;
    let nearest = 0;
    let leftmost = Infinity;
    for (let x = width - 1; x >= 0; x--) {
      const s = steps[row + x];
      const column = x - s * pixelsPerStep;
      nearest = Math.max(nearest, s);
      if (column < leftmost) {
        leftmost = column;
        continue;
      }
      // The order of columns is reversed: a pixel further right is lit from a column further left. It hides this pixel only where both have
      // the same column.
      const last = Math.min(width - 1, x + Math.ceil((nearest - s) * pixelsPerStep) + 1);
      for (let other = x + 1; other <= last; other++) {
        const front = steps[row + other];
        if (front <= s + behind || Math.abs(other - front * pixelsPerStep - column) >= 1) continue;
        steps[row + x] = 0;
        break;
      }
    }
  }
}
