import type { DepthArray, FrameShape } from "../../core/frame.ts";
import type { FrameContext } from "../../stages/core/resources.ts";
import type { CpuFrame, Stage, Twin } from "../../stages/core/stage.ts";
import { image } from "../gpu.ts";
import { normal } from "../random.ts";

// Streams of frames for stages with a memory, and a way to run a twin over them.

export const shapeOf = (width: number, height: number, metresPerUnit = 0.001): FrameShape => ({
  metresPerUnit,
  intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width, height },
});

/** The n-th frame of a stream that follows on. */
export const at = (index: number): FrameContext => ({ index, timestamp: index * 33, fresh: true, follows: index > 0 });
/** The same frame again. */
export const again = (index: number): FrameContext => ({ ...at(index), fresh: false });

/** The twin as the CPU backend runs it: a function from a frame to the twin's output. */
export function runner(stage: Stage, width: number, height: number, metresPerUnit?: number) {
  return running(stage.twin(shapeOf(width, height, metresPerUnit)), width);
}

export function running(twin: Twin, width: number) {
  return (depth: ArrayLike<number>, context: FrameContext): Uint16Array => {
    const frame: CpuFrame = { depth: image(depth, width), color: undefined, points: undefined, picture: undefined };
    twin.run(frame, context);
    return frame.depth.data.slice();
  };
}

/** Frames of a shaking scene with holes, in which parts drift and an object jumps. */
export function shaken(scene: DepthArray, count: number, sigma: number): DepthArray[] {
  const noise = normal(5);
  const [height, width] = scene.shape;
  return Array.from({ length: count }, (_, frame) =>
    image(
      scene.data.map((depth, i) => {
        if (depth === 0 || (i * 31 + frame * 17) % 97 === 0) return 0;
        const [x, y] = [i % width, Math.floor(i / width)];
        const drift = y > height / 2 ? frame * 0.7 * sigma : 0;
        const jump = Math.abs(x - (frame * width) / 6) < width / 8 ? depth / 4 : 0;
        return Math.max(1, Math.min(65535, Math.round(depth - jump + drift + sigma * noise())));
      }),
      width,
    ),
  );
}

/** A wall whose noise, of `sigma`, wavers in blobs of some 8 pixels, as a stereo camera's does; `shift` is its way per frame. */
export function wavering(width: number, height: number, depth: number, sigma: number, count: number, shift = 0) {
  const noise = normal(8);
  const [side, across, down] = [8, Math.ceil(width / 8) + 1, Math.ceil(height / 8) + 1];
  // Halfway between its nodes a bilinear field has less variance.
  const scale = sigma * 1.5;
  return Array.from({ length: count }, (_, frame) => {
    const field = Array.from({ length: across * down }, () => scale * noise());
    return Uint16Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [(i % width) / side, Math.floor(i / width) / side];
      const [u, v] = [Math.floor(x), Math.floor(y)];
      const row = (k: number) => field[k * across + u] * (u + 1 - x) + field[k * across + u + 1] * (x - u);
      return Math.round(depth + frame * shift + row(v) * (v + 1 - y) + row(v + 1) * (y - v));
    });
  });
}
