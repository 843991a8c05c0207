import type { Intrinsics } from "../frame.ts";

/** A surface must be this many pixels of disparity behind another to be in its shadow: less is its own slant. */
const BEHIND_PX = 0.75;

/**
 * Takes away what the projector does not reach. It stands a baseline to the right of the camera, at the same height, so
 * a row of the camera's image is a row of the projector's, and pixel x with disparity d is lit from its column x − d:
 *
 *        camera row      ····BBBBBB··FFFF··     F in front, B behind it
 *                            \\\\\\  ////
 *        projector row   ··BBBB[FFFF]·····      B under F is dark: on F's left, seen from the camera
 *
 * `steps`: disparity in the sensor's steps, 0 for none, with a border; changed in place. `pixelsPerStep`: what a step
 * is in pixels of this image.
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
      // Out of order: something to the right is lit from further left. Only where it has the same column does it hide
      // this.
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
