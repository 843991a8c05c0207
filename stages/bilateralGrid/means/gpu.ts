import blurShader from "../../../shaders/bilateralGrid/blur.wgsl";
import buildShader from "../../../shaders/bilateralGrid/build.wgsl";
import sliceShader from "../../../shaders/bilateralGrid/slice.wgsl";
import { createKernel, type KernelSpec } from "../../../shaders/kernel.ts";
import { structView } from "../../../shaders/shader.ts";
import type { Pool } from "../../core/pool.ts";
import type { DepthImage } from "../../core/resources.ts";
import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD, RAW_PAD } from "./layout.ts";

/** Pixels of an invocation of `build`, twice as many on grids with many columns; and cells of a tile that its workgroup holds at once. */
const PIXELS = 4;
const BINS = 128;
/** Invocations of `blur` for each column, half as many for large frames. */
const STRETCHES = 16;
/** Frames with more pixels than this are bound by work, not by the number of invocations. */
const LARGE = 2 ** 21;
/** A grid with this many columns keeps any device busy, even with few invocations per column. */
const MANY = 2 ** 14;
/** A workgroup's size is a multiple of this, whatever the tile's size. */
const LANES = 32;

/** The filter on a device: its buffers and its three kernels. */
interface GridOnGpu {
  /**
   * As the twin's `RawGrid`, with `RANGE_PAD` columns of zeros all around, one more behind the last (which a block of four at the border
   * reads), and zeros outside each column's range.
   */
  readonly grid: GPUBuffer;
  /** Ranges as the twin's `Ranges` has them: one word per column, with as many empty ones behind them as `grid` has. */
  readonly ranges: GPUBuffer;
  /**
   * f32 pairs of weighted depth sum and weight: `rows` + 2 × `columns` + 2, each rounded up to even, × `blurredDepths`. Entries that no
   * pixel reads hold data of earlier frames.
   */
  readonly blurred: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
}

/** Allocates from the pool, and builds the kernels for one shape. Each `encode` reads `input`. */
export async function gridOnGpu(pool: Pool, shape: GridShape, input: DepthImage): Promise<GridOnGpu> {
  const { device } = pool;
  const { width, height, space, columns, rows, rawDepths, blurredDepths, planes, countBit, axis: cells } = shape;
  const large = width * height >= LARGE;
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const scratch = (name: string, words: number) => pool.buffer(name, words * 4, STORAGE | COPY_SRC | COPY_DST);
  const padded = (columns + 2 * RANGE_PAD) * (rows + 2 * RANGE_PAD + 1) + 1;
  const [blurredColumns, blurredRows] = [2 * Math.ceil(columns / 2) + 2, 2 * Math.ceil(rows / 2) + 2];
  const grid = scratch("grid", padded * planes * rawDepths);
  const ranges = scratch("ranges", padded);
  const bases = scratch("bases", rawDepths);
  const cellOf = scratch("cellOf", cells.cellOf.length);
  const positionOf = scratch("positionOf", cells.positionOf.length);
  const blurred = scratch("blurred", blurredColumns * blurredRows * blurredDepths * 2);
  const filtered = pool.depthImage("filtered", width, height);
  const axisView = structView(buildShader, "axisOfDepth");
  const axisOfDepth = pool.buffer("axis", axisView.arrayBuffer.byteLength, UNIFORM | COPY_DST);

  const kernel = (name: string, spec: Omit<KernelSpec, "label">) =>
    createKernel(device, { label: `bilateralGrid/${name}`, ...spec, resources: { ...spec.resources, axisOfDepth } });
  const pixels = { SPACE: space, HEIGHT: height, EQUAL: Number(cells.width > 0) };
  const builder = () => {
    const fours = space * Math.ceil((space + (space % 4) * 1.5) / 4);
    const each = (columns * rows >= MANY ? 2 * PIXELS : PIXELS) / 4;
    const THREADS = Math.min(256, LANES * Math.ceil(fours / each / LANES));
    const constants = { ...pixels, ROW: input.stride / 4, COLUMNS: columns, PLANES: planes, BINS, THREADS };
    return kernel("build", {
      shader: buildShader,
      constants,
      resources: { depth: input.buffer, cellOf, grid, ranges },
    });
  };
  const stretches = large ? STRETCHES / 2 : STRETCHES;
  const [build, blur, slice] = await Promise.all([
    builder(),
    kernel("blur", {
      shader: blurShader,
      constants: {
        COLUMNS: columns,
        BLURRED_COLUMNS: blurredColumns,
        PLANES: planes,
        STRETCHES: stretches,
        THREADS: 8 * stretches,
      },
      resources: { grid, bases, ranges, blurred },
    }),
    kernel("slice", {
      shader: sliceShader,
      constants: { ...pixels, ROW: input.stride / 8, COLUMNS: blurredColumns },
      resources: { depth: input.buffer, positionOf, filtered: filtered.buffer, blurred },
    }),
  ]);

  let begun = false;
  /** Writes the tables at the first frame, not earlier: until then the previous build may still use the same buffers. */
  const begin = () => {
    begun = true;
    const { queue } = device;
    const encoder = device.createCommandEncoder({ label: "bilateralGrid" });
    encoder.clearBuffer(grid);
    queue.submit([encoder.finish()]);
    queue.writeBuffer(ranges, 0, new Int32Array(padded).fill(EMPTY_RANGE));
    const wordBases = new Float32Array(rawDepths);
    wordBases.set(cells.bases.subarray(0, cells.cells), RAW_PAD);
    queue.writeBuffer(bases, 0, wordBases);
    if (cells.width === 0) {
      queue.writeBuffer(cellOf, 0, cells.cellOf);
      queue.writeBuffer(positionOf, 0, cells.positionOf);
    }
    const { width, farthest } = cells;
    axisView.set({ width, farthest, plane: rawDepths / 4, column: blurredDepths, countBit });
    queue.writeBuffer(axisOfDepth, 0, axisView.arrayBuffer);
  };
  return {
    grid,
    ranges,
    blurred,
    filtered,
    encode(pass) {
      if (!begun) begin();
      build.dispatch(pass, columns, rows);
      blur.dispatch(pass, Math.ceil(blurredColumns / 16), blurredRows / 2);
      slice.cover(pass, input.stride / 8, height);
    },
  };
}
