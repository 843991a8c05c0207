import { type FrameShape, image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import { wordsOf } from "../core/words.ts";
import shade from "./assembly/shade.ts?wasm";
import { distanceColor, fadeOf, JUMP, MAX_REACH, type PaintParameters, painter } from "./cpu.ts";
import { CLAY, LIT, NORMAL } from "./layout.ts";
import { DEPTHS, depthTable, differencePainter } from "./tables.ts";

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

/**
 * `paintTwin` with WebAssembly's 128-bit vectors, and tables where colours come from depth alone; equals it to the last bit. Gives
 * `undefined` where WebAssembly has no vectors or is forbidden.
 */
export function paintSimd(shape: FrameShape, parameters: PaintParameters): Twin | undefined {
  const { intrinsics, metresPerUnit } = shape;
  const shader = shaderOf(intrinsics);
  if (!shader) return undefined;
  const { width, height } = intrinsics;
  const { words, lights, shade } = shader;
  const color = image(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), [height, width, 4]);
  const colors = new Uint32Array(DEPTHS);
  const fillColors = depthTable(metresPerUnit, colors, distanceColor);
  const fillLights = depthTable(metresPerUnit, lights, fadeOf);
  const paintDifference = differencePainter(metresPerUnit);
  const paint = painter(shape, parameters);
  return {
    run(frame) {
      const { depth: filtered, raw = filtered } = frame;
      const { data } = frame.shown ?? filtered;
      const { by, rangeMm, reachPx } = parameters;
      if (by === "depth") {
        fillColors(parameters);
        for (let i = 0; i < data.length; i++) words[i] = colors[data[i]];
      } else if (by === "difference") {
        paintDifference(words, data, filtered, raw, rangeMm);
      } else {
        if (by !== "normal") fillLights(parameters);
        const colors = by === "lit" && frame.color ? wordsOf(frame.color) : undefined;
        shade(data, by, reachPx, colors);
        // The few pixels that the filters left without depth may have an invented one, which the vectors do not know.
        const images = { depth: data, filtered, raw, colors };
        for (let i = 0; i < data.length; i++)
          if (filtered.data[i] === 0 && data[i] !== 0) words[i] = paint(images, i % width, Math.floor(i / width));
      }
      frame.color = color;
    },
  };
}

/** Colours an image by its surfaces. */
interface Shader {
  /** The resulting colours, one RGBA word per pixel. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The brightness of clay at each depth, where the surface faces the camera. The caller fills this table. */
  readonly lights: Float32Array;
  /** Lights `colors`, one RGBA word per pixel; pixels whose alpha is 0, and all pixels without `colors`, get the colour of clay. */
  shade(depth: Uint16Array, by: keyof typeof WAYS, reach: number, colors: Uint32Array | undefined): void;
}

function shaderOf({ width, height, fx, fy, cx, cy }: FrameShape["intrinsics"]): Shader | undefined {
  const pixels = width * height;
  // Zeros surround the rows, since nothing was measured outside the image. The zeros behind a row are those before the next row.
  const stride = width + MAX_REACH;
  const first = MAX_REACH * stride + MAX_REACH;
  const across = Math.ceil(width / 4) * 4;
  const layout = new Layout();
  const rays = layout.take((across + height) * 4);
  const lights = layout.take(DEPTHS * 4);
  const depth = layout.take((first + (height + MAX_REACH) * stride) * 2);
  const words = layout.take(pixels * 4 + 16);
  const colors = layout.take(pixels * 4 + 16);
  const wasm = openWasm<Exports>([shade], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  // The x of each column's rays and the y of each row's, whose z along the optical axis is 1.
  new Float32Array(buffer, rays, width).forEach((_, x, all) => {
    all[x] = (x - cx) / fx;
  });
  new Float32Array(buffer, rays + across * 4, height).forEach((_, y, all) => {
    all[y] = (y - cy) / fy;
  });
  const input = new Uint16Array(buffer, depth + first * 2, height * stride);
  const given = new Uint32Array(buffer, colors, pixels);
  const table = new Float32Array(buffer, lights, DEPTHS);
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
