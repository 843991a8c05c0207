import type { ColorArray, DepthArray, FrameShape } from "../core/frame.ts";
import { AGAIN } from "../stages/core/resources.ts";
import type { CpuFrame, Stage } from "../stages/core/stage.ts";

// Running the twin of one stage that makes depth of depth.

/** The shape of a frame of `depth`, in millimetres unless told otherwise. */
export function shapeFor(depth: DepthArray, metresPerUnit = 0.001): FrameShape {
  const [height, width] = depth.shape;
  const intrinsics = { fx: 525, fy: 525, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { metresPerUnit, intrinsics };
}

/** All that the twin leaves. */
export function runTwin(stage: Stage, depth: DepthArray, shape = shapeFor(depth), color?: ColorArray): CpuFrame {
  const frame: CpuFrame = { depth, color, points: undefined, picture: undefined };
  stage.twin(shape).run(frame, AGAIN);
  return frame;
}

/**
 * Image sizes around the pixels that a workgroup of a kernel processes: a pixel less, as many, and a pixel more. Each invocation processes
 * `across` × `down` pixels; the shader's text says how many invocations there are, so that the sizes follow a change of it.
 */
export function aroundWorkgroup(code: string, [across, down]: readonly [number, number]): [number, number][] {
  const [, size = ""] = /@workgroup_size\(([^)]*)\)/.exec(code) ?? [];
  const numbers = size
    .split(",")
    .map((text) => new RegExp(`const ${text.trim()}\\s*=\\s*(\\d+)`).exec(code)?.[1] ?? text);
  const [columns, rows = 1] = numbers.map(Number);
  if (!columns || !rows) throw new Error(`the workgroup's size is no number: ${size}`);
  return [-1, 0, 1].map((more) => [across * columns + more, Math.max(1, down * rows + more)]);
}
