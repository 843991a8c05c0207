import { type ColorArray, type FrameShape, image } from "../../core/frame.ts";
import { type Choice, MODES, rimFiller } from "../core/rim.ts";
import type { Twin } from "../core/stage.ts";

export interface FillHolesParameters {
  readonly mode: (typeof MODES)[number];
  readonly reachPx: number;
  readonly mark: boolean;
}

/** The kernel's `choice`. */
export const choiceOf = ({ mode, reachPx }: FillHolesParameters): Choice => ({
  mode: MODES.indexOf(mode),
  reach: reachPx,
});

const TINT = 0xff7f007f;

/** The twin of shaders/fillHoles.wgsl, whose comments explain the method. */
export function fillHolesTwin({ intrinsics }: FrameShape, parameters: FillHolesParameters): Twin {
  const { width, height } = intrinsics;
  const output = image(new Uint16Array(width * height), [height, width]);
  const marked = image(new Uint8Array(parameters.mark ? width * height * 4 : 0), [height, width, 4]);
  const fromRim = rimFiller(width, height);

  return {
    run(frame) {
      const { data } = frame.depth;
      const choice = choiceOf(parameters);
      for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at++) output.data[at] = data[at] === 0 ? fromRim(data, x, y, choice) : data[at];
      }
      if (parameters.mark && frame.color) {
        tint(frame.color, data, output.data, marked);
        frame.color = marked;
      }
      frame.depth = output;
    },
  };
}

/** Copies `color` and tints the filled pixels half magenta. */
function tint(
  { data: color }: ColorArray,
  before: Uint16Array,
  after: Uint16Array,
  { data: marked }: ColorArray,
): void {
  marked.set(color);
  for (let i = 0; i < before.length; i++) {
    if (before[i] === after[i]) continue;
    for (let c = 0; c < 3; c++) marked[4 * i + c] = ((TINT >> (8 * c)) & 0xff) + (color[4 * i + c] >> 1);
    marked[4 * i + 3] = 255;
  }
}
