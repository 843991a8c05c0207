import type { FrameShape } from "../../core/frame.ts";
import type { CpuPoints, Twin } from "../core/stage.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import { wordsOf } from "../core/words.ts";
import move from "./assembly/move.ts?wasm";
import { type CompactParameters, rangeOf, raysOf } from "./cpu.ts";

interface Exports {
  /** `depth`, `colors`, `rays` and `points` are addresses; see assembly/move.ts. */
  move(
    depth: number,
    colors: number,
    rays: number,
    points: number,
    width: number,
    height: number,
    unit: number,
    near: number,
    span: number,
  ): number;
}

/** `compactTwin` with WebAssembly's 128-bit vectors; equals it to the last bit. Gives `undefined` where there are no such vectors. */
export function compactSimd(shape: FrameShape, parameters: CompactParameters): Twin | undefined {
  const { intrinsics, metresPerUnit } = shape;
  const { width, height } = intrinsics;
  const pixels = width * height;
  const across = Math.ceil(width / 4) * 4;
  const layout = new Layout();
  const rays = layout.take((across + height) * 4);
  const depth = layout.take(pixels * 2 + 16);
  const colors = layout.take(pixels * 4 + 16);
  const cloud = layout.take(pixels * 16 + 16);
  const wasm = openWasm<Exports>([move], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const { x, y } = raysOf(intrinsics);
  new Float32Array(buffer, rays).set(x);
  new Float32Array(buffer, rays + across * 4).set(y);
  const depthWords = new Uint16Array(buffer, depth, pixels);
  const colorWords = new Uint32Array(buffer, colors, pixels);
  const points: CpuPoints = {
    floats: new Float32Array(buffer, cloud, pixels * 4),
    words: new Uint32Array(buffer, cloud, pixels * 4),
    count: 0,
  };
  return {
    run(frame) {
      const { near, span } = rangeOf(parameters.nearM, parameters.farM, metresPerUnit);
      depthWords.set((frame.shown ?? frame.depth).data);
      if (frame.color) colorWords.set(wordsOf(frame.color));
      const end = exports.move(depth, frame.color ? colors : 0, rays, cloud, width, height, metresPerUnit, near, span);
      points.count = (end - cloud) / 16;
      frame.points = points;
    },
  };
}
