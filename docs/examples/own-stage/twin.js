// @ts-check
import { image } from "depthloom/stage";

/** @typedef {{ readonly shape: "rectangle" | "circle", readonly marginPx: number }} Parameters */

/**
 * The stage on the CPU. Memory is taken here, once, and not for each frame.
 *
 * @param {import("depthloom/stage").FrameShape} shape of the frames
 * @param {Parameters} parameters live: a later `set` shows in them
 * @returns {import("depthloom/stage").Twin}
 */
export function cropTwin({ intrinsics: { width, height } }, parameters) {
  const data = new Uint16Array(width * height);
  const cropped = image(data, [height, width]);
  return {
    run(frame) {
      const { data: depth } = frame.depth;
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) data[i] = isInside(x, y, width, height, parameters) ? depth[i] : 0;
      }
      frame.depth = cropped;
    },
  };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Parameters} parameters
 */
function isInside(x, y, width, height, { shape, marginPx }) {
  if (shape === "rectangle") {
    return x >= marginPx && y >= marginPx && x < width - marginPx && y < height - marginPx;
  }
  const offX = 2 * x + 1 - width;
  const offY = 2 * y + 1 - height;
  const diameter = Math.min(width, height) - 2 * marginPx;
  return diameter > 0 && offX * offX + offY * offY <= diameter * diameter;
}
