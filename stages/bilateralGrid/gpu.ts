import blurCode from "../../shaders/bilateralGrid/blur.wgsl?raw";
import buildSerialCode from "../../shaders/bilateralGrid/build.serial.wgsl?raw";
import buildCode from "../../shaders/bilateralGrid/build.wgsl?raw";
import sliceCode from "../../shaders/bilateralGrid/slice.wgsl?raw";
import { createKernel } from "../../shaders/kernel.ts";
import { createDepthImage, type DepthImage } from "../resources.ts";
import { EMPTY_RANGE, type GridShape, RANGE_PAD, RAW_PAD } from "./grid.ts";

/** The filter on a device: its buffers, and its three dispatches. */
export interface GridOnGpu {
  /**
   * The twin's `RawGrid` with `RANGE_PAD` columns of zeros all around (and one more behind the last, which a block of four at
   * the border asks for), and zeros outside each column's range.
   */
  readonly grid: GPUBuffer;
  /** A word a column, as the twin's `Ranges`, and as many empty ones behind them as `grid` has. */
  readonly ranges: GPUBuffer;
  /**
   * f32 pairs of weighted depth sum and weight, `rows` + 2 × `columns` + 2, each rounded up to even, × `blurredDepths`. What
   * no pixel reads is what earlier frames left.
   */
  readonly blurred: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
  destroy(): void;
}

/** Allocates and binds everything for one shape. `input` is read each time the filter is encoded. */
export async function gridOnGpu(
  device: GPUDevice,
  shape: GridShape,
  input: DepthImage,
  tuning = tuningFor(subgroupOf(device), shape.space),
): Promise<GridOnGpu> {
  const { width, height, space, columns, rows, rawDepths, blurredDepths, planes, countBit, axis } = shape;
  const buffers: GPUBuffer[] = [];
  const scratch = (label: string, size: number) => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ label: `bilateralGrid/${label}`, size, usage });
    buffers.push(buffer);
    return buffer;
  };
  const table = (label: string, data: Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) => {
    const buffer = scratch(label, data.byteLength);
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const padded = (columns + 2 * RANGE_PAD) * (rows + 2 * RANGE_PAD + 1) + 1;
  const grid = scratch("grid", padded * planes * rawDepths * 4);
  const ranges = table("ranges", new Int32Array(padded).fill(EMPTY_RANGE));
  const [blurredColumns, blurredRows] = [2 * Math.ceil(columns / 2) + 2, 2 * Math.ceil(rows / 2) + 2];
  const blurred = scratch("blurred", blurredColumns * blurredRows * blurredDepths * 8);
  const filtered = createDepthImage(device, "bilateralGrid/filtered", width, height);
  buffers.push(filtered.buffer);
  const wordBases = new Float32Array(rawDepths);
  wordBases.set(axis.bases.subarray(0, axis.cells), RAW_PAD);

  const row = input.stride / 8;
  const raw = { PLANE: rawDepths / 4, PLANES: planes, COUNT_BIT: countBit };
  const axisIs = { WIDTH: axis.width, FARTHEST: axis.farthest };
  const tile = { SPACE: space, HEIGHT: height, ROW: row, COLUMNS: columns, ...axisIs, ...raw };
  const serial = tuning.threads === 1;
  const [build, blur, slice] = await Promise.all([
    createKernel(device, {
      label: "bilateralGrid/build",
      code: serial ? buildSerialCode : buildCode,
      constants: serial ? { ...tile, GRID_ROWS: rows } : { ...tile, BINS: tuning.bins, THREADS: tuning.threads },
      resources: { depth: input.buffer, cellOf: table("cellOf", axis.cellOf), grid, ranges },
    }),
    createKernel(device, {
      label: "bilateralGrid/blur",
      code: blurCode,
      constants: {
        COLUMNS: columns,
        BLURRED_COLUMNS: blurredColumns,
        BLURRED_COLUMN: blurredDepths / 2,
        STRETCHES: tuning.stretches,
        THREADS: 8 * tuning.stretches,
        ...raw,
      },
      resources: { grid, ranges, bases: table("bases", wordBases), blurred },
    }),
    createKernel(device, {
      label: "bilateralGrid/slice",
      code: sliceCode,
      constants: {
        SPACE: space,
        HEIGHT: height,
        ROW: row,
        COLUMNS: blurredColumns,
        COLUMN: blurredDepths,
        ROWS: tuning.rows,
        ...axisIs,
      },
      resources: {
        depth: input.buffer,
        positionOf: table("positionOf", axis.positionOf),
        blurred,
        filtered: filtered.buffer,
      },
    }),
  ]);
  return {
    grid,
    ranges,
    blurred,
    filtered,
    encode(pass) {
      if (serial) build.dispatch(pass, Math.ceil((columns * rows) / 16));
      else build.dispatch(pass, columns, rows);
      blur.dispatch(pass, Math.ceil(blurredColumns / 16), blurredRows / 2);
      slice.dispatch(pass, Math.ceil(row / 2), Math.ceil(height / (32 * tuning.rows)));
    },
    destroy() {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}

/** Invocations to a subgroup. Older browsers do not tell, and 128 is what an adapter tells that does not know: 32 then. */
function subgroupOf(device: GPUDevice): number {
  const told = device.adapterInfo?.subgroupMaxSize || 128;
  return told > 64 ? 32 : told;
}

/** How the work is dealt out. What comes out does not depend on it. */
export interface Tuning {
  /** Invocations to a column in `build`, whole subgroups; or 1, which takes another kernel. */
  readonly threads: number;
  /** Cells of a column that `build` holds at a time; a power of two. Of no use with one invocation. */
  readonly bins: number;
  /** Invocations to a column in `blur`. */
  readonly stretches: number;
  /** Rows of pixels to an invocation in `slice`. */
  readonly rows: 1 | 2;
}

/** A GPU hides the latency of its loads behind other invocations; a CPU that plays one only pays for each of them. */
export function tuningFor(subgroup: number, space: number): Tuning {
  if (subgroup <= 8) return { threads: 1, bins: 64, stretches: 1, rows: 2 };
  // Some eight vectors of pixels for each invocation; a tile's row has up to σ/8 + 1 of them.
  const vectors = space * Math.ceil((space + (space % 8 === 0 ? 0 : 6)) / 8);
  const threads = subgroup * Math.max(1, Math.min(Math.floor(256 / subgroup), Math.ceil(vectors / (8 * subgroup))));
  return { threads, bins: 256, stretches: 16, rows: 1 };
}
