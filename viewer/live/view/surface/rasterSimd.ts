import { Layout, openWasm } from "../../../../stages/core/wasm.ts";
import { MOST_PX } from "../../../three/pointSize.ts";
import binary from "./assembly/raster.ts?wasm";
import { createRaster, type Raster, viewOf } from "./raster.ts";
import { SCRATCH_BYTES, VIEW_NUMBERS } from "./rasterLayout.ts";

interface Exports {
  /** All parameters but the last three are addresses; assembly/raster.ts says what they point to. */
  drawPoints(
    points: number,
    end: number,
    view: number,
    scratch: number,
    pixels: number,
    distances: number,
    width: number,
    height: number,
    mostPx: number,
  ): void;
}

/** Points are copied in blocks of this many, which fit into a core's cache. */
const TAKEN = 4096;

export interface SimdRaster {
  readonly raster: Raster;
  /** Draws points as `drawPoints` of raster.ts does, bit for bit. */
  drawPoints(m: readonly number[], floats: Float32Array, count: number, growth: number): void;
}

/** Makes a raster for drawing points with WebAssembly's 128-bit vectors; `undefined` if the browser has none. */
export function createSimdRaster(width: number, height: number): SimdRaster | undefined {
  const layout = new Layout();
  const at = layout.take(width * height * 8);
  const view = layout.take(VIEW_NUMBERS * 4);
  const scratch = layout.take(SCRATCH_BYTES);
  const points = layout.take(TAKEN * 16);
  const wasm = openWasm<Exports>([binary], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const taken = new Float32Array(buffer, points, TAKEN * 4);
  const raster = createRaster(width, height, buffer, at);
  const [pixels, distances] = [at, raster.distances.byteOffset];
  const numbers = new Float32Array(buffer, view, VIEW_NUMBERS);
  return {
    raster,
    drawPoints(m, floats, count, growth) {
      numbers.set(viewOf(m, width, height, growth));
      for (let first = 0; first < count; first += TAKEN) {
        const many = Math.min(TAKEN, count - first);
        taken.set(floats.subarray(first * 4, (first + many) * 4));
        // NaN fills up the last group of four: such points are never drawn.
        const fours = Math.ceil(many / 4) * 4;
        taken.fill(Number.NaN, many * 4, fours * 4);
        exports.drawPoints(points, points + fours * 16, view, scratch, pixels, distances, width, height, MOST_PX);
      }
    },
  };
}
