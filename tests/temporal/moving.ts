import type { DepthArray, FrameShape } from "../../core/frame.ts";
import { rigid, turned } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import { image } from "../gpu.ts";
import { normal } from "../random.ts";

// Frames of a slanted wall with a box before it, seen by a camera that moves, each with its pose.

export interface Seen {
  readonly depth: DepthArray;
  /** The depth without noise. */
  readonly clean: DepthArray;
  readonly pose: CameraPose;
}

export const lensOf = (width: number, height: number, metresPerUnit = 0.001): FrameShape => ({
  metresPerUnit,
  intrinsics: { fx: width, fy: width, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height },
});

/** `steps`: shift in metres (x, y, z) and turn about y in radians, per frame. */
export function strolled(
  { intrinsics: { fx, fy, cx, cy, width, height }, metresPerUnit }: FrameShape,
  count: number,
  { sigma = 0.003, shift = [0.012, 0.004, -0.008], turn = 0.004, state = POSE_STATE.moved as CameraPose["state"] } = {},
): Seen[] {
  const noise = normal(3);
  return Array.from({ length: count }, (_, i): Seen => {
    const world = turned([0, turn * i, 0], [shift[0] * i, shift[1] * i, shift[2] * i]);
    const [c, s] = [world[0], world[2]];
    const pixels = { clean: new Uint16Array(width * height), depth: new Uint16Array(width * height) };
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [u, v] = [(x - cx) / fx, (y - cy) / fy];
        const [dx, dz] = [c * u + s, -s * u + c];
        // The wall z = 2 + 0.3 x; the box, a square at 1.4 m.
        let z = (2 + 0.3 * world[3] - world[11]) / (dz - 0.3 * dx);
        const box = (1.4 - world[11]) / dz;
        const [bx, by] = [world[3] + box * dx, world[7] + box * v];
        if (Math.abs(bx) < 0.2 && Math.abs(by) < 0.2) z = box;
        const at = y * width + x;
        const isHole = (at * 31 + i * 17) % 41 === 0;
        pixels.clean[at] = Math.round(z / metresPerUnit);
        pixels.depth[at] = isHole ? 0 : Math.round((z + sigma * noise()) / metresPerUnit);
      }
    }
    // From this camera to the one before: the same motion each time, except that the shift turns with the camera before.
    const angle = turn * (i - 1);
    const [a, b] = [Math.cos(angle), Math.sin(angle)];
    const back = [a * shift[0] - b * shift[2], shift[1], b * shift[0] + a * shift[2]] as const;
    const toBefore = i === 0 ? rigid() : turned([0, turn, 0], back);
    const pose = {
      toWorld: world,
      toBefore,
      state,
      held: 0,
      partners: 1,
      recorded: false,
      uncertaintyM: 0,
      anew: false,
    };
    return { depth: image(pixels.depth, width), clean: image(pixels.clean, width), pose };
  });
}
