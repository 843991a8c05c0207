import type { FrameShape } from "../../sources/core/frame.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import shade from "./assembly/shade.ts?wasm";
import { JUMP, MAX_REACH, raysOf, type Shader } from "./cpu.ts";
import { CLAY, LIT, NORMAL } from "./layout.ts";

interface Exports {
  /**
   * `depth`, `words`, `rays`, `lights` and `colors` are addresses, `stride` and `reach` are in bytes, `mode` is one of `WAYS`; see
   * assembly/shade.ts.
   */
  shade(
    depth: number,
    words: number,
    rays: number,
    lights: number,
    colors: number,
    mode: number,
    width: number,
    height: number,
    stride: number,
    reach: number,
    stepX: number,
    stepY: number,
    jump: number,
  ): void;
}

/** The twin's `Shader` with WebAssembly's 128-bit vectors; equals it to the last bit. Gives `undefined` where there are no such vectors. */
export function shaderSimd(intrinsics: FrameShape["intrinsics"]): Shader | undefined {
  const { width, height, fx, fy } = intrinsics;
  const pixels = width * height;
  // Zeros surround the rows, since nothing was measured outside the image. The end of a row and the start of the next share theirs.
  const stride = width + MAX_REACH;
  const first = MAX_REACH * stride + MAX_REACH;
  const across = Math.ceil(width / 4) * 4;
  const layout = new Layout();
  const rays = layout.take((across + height) * 4);
  const lights = layout.take(65536 * 4);
  const depth = layout.take((first + (height + MAX_REACH) * stride) * 2);
  const words = layout.take(pixels * 4 + 16);
  const colors = layout.take(pixels * 4 + 16);
  const wasm = openWasm<Exports>([shade], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const { x, y } = raysOf(intrinsics);
  new Float32Array(buffer, rays).set(x);
  new Float32Array(buffer, rays + across * 4).set(y);
  const input = new Uint16Array(buffer, depth + first * 2, height * stride);
  const given = new Uint32Array(buffer, colors, pixels);
  const table = new Float32Array(buffer, lights, 65536);
  let coloured = false;
  return {
    words: new Uint32Array(buffer, words, pixels),
    lights: table,
    shade(data, by, reach, own) {
      for (let row = 0; row < height; row++) input.set(data.subarray(row * width, (row + 1) * width), row * stride);
      if (own) given.set(own);
      else if (coloured) given.fill(0);
      coloured = own !== undefined;
      const step = [reach / fx, reach / fy] as const;
      const at = input.byteOffset;
      exports.shade(at, words, rays, lights, colors, WAYS[by], width, height, stride * 2, reach * 2, ...step, JUMP);
    },
  };
}

const WAYS = { normal: NORMAL, clay: CLAY, lit: LIT } as const;
