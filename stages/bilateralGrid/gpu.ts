import blurCode from "../../shaders/bilateralGrid/blur.wgsl?raw";
import blurSliceCode from "../../shaders/bilateralGrid/blurSlice.wgsl?raw";
import buildSerialCode from "../../shaders/bilateralGrid/build.serial.wgsl?raw";
import buildCode from "../../shaders/bilateralGrid/build.wgsl?raw";
import sliceCode from "../../shaders/bilateralGrid/slice.wgsl?raw";
import { createKernel, type Kernel, type KernelSpec } from "../../shaders/kernel.ts";
import { createDepthImage, type DepthImage } from "../resources.ts";
import { EMPTY_RANGE, type GridShape, RANGE_PAD, RAW_PAD } from "./grid.ts";

/** The filter on a device: its buffers, and its two or three dispatches. */
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
   * no pixel reads is what earlier frames left. There is none if blur and slice are one kernel.
   */
  readonly blurred: GPUBuffer | undefined;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
  destroy(): void;
}

/** Allocates and binds everything for one shape. `input` is read each time the filter is encoded. */
export async function gridOnGpu(
  device: GPUDevice,
  shape: GridShape,
  input: DepthImage,
  tuning = tuningFor(subgroupOf(device), shape),
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
  const filtered = createDepthImage(device, "bilateralGrid/filtered", width, height);
  buffers.push(filtered.buffer);
  const wordBases = new Float32Array(rawDepths);
  wordBases.set(axis.bases.subarray(0, axis.cells), RAW_PAD);

  const raw = { PLANE: rawDepths / 4, PLANES: planes, COUNT_BIT: countBit };
  const pixels = { SPACE: space, HEIGHT: height, ROW: input.stride / 8, WIDTH: axis.width, FARTHEST: axis.farthest };
  const kernel = async (name: string, groups: Groups, spec: Omit<KernelSpec, "label">): Promise<Step> => {
    return [await createKernel(device, { label: `bilateralGrid/${name}`, ...spec }), ...groups];
  };
  const { threads, bins, stretches, sliceRows } = tuning;
  const build = () => {
    const resources = { depth: input.buffer, cellOf: table("cellOf", axis.cellOf), grid, ranges };
    const constants = { ...pixels, COLUMNS: columns, ...raw };
    if (threads === 1) {
      const groups = [Math.ceil(columns / 4), Math.ceil(rows / 4)] as const;
      return kernel("build", groups, { code: buildSerialCode, constants, resources });
    }
    return kernel("build", [columns, rows], {
      code: buildCode,
      constants: { ...constants, ROW: input.stride / 4, BINS: bins, THREADS: threads },
      resources,
    });
  };
  const read = { grid, bases: table("bases", wordBases) };
  const sliced = {
    depth: input.buffer,
    positionOf: table("positionOf", axis.positionOf),
    filtered: filtered.buffer,
  };
  const blurSlice = () =>
    kernel("blurSlice", [columns + 1, rows + 1], {
      code: blurSliceCode,
      constants: {
        ...pixels,
        ROW: input.stride / 4,
        COLUMNS: columns,
        THREADS: Math.max(64, Math.min(256, space ** 2 / 4)),
        ...raw,
      },
      resources: { ...read, ...sliced },
    });
  const [blurredColumns, blurredRows] = [2 * Math.ceil(columns / 2) + 2, 2 * Math.ceil(rows / 2) + 2];
  const blurred = tuning.fused ? undefined : scratch("blurred", blurredColumns * blurredRows * blurredDepths * 8);
  const blurThenSlice = (blurred: GPUBuffer) => [
    kernel("blur", [Math.ceil(blurredColumns / 16), blurredRows / 2], {
      code: blurCode,
      constants: {
        COLUMNS: columns,
        BLURRED_COLUMNS: blurredColumns,
        BLURRED_COLUMN: blurredDepths / 2,
        STRETCHES: stretches,
        THREADS: 8 * stretches,
        ...raw,
      },
      resources: { ...read, ranges, blurred },
    }),
    kernel("slice", [Math.ceil(input.stride / 16), Math.ceil(height / (SLICE_LINES * sliceRows))], {
      code: sliceCode,
      constants: { ...pixels, COLUMNS: blurredColumns, COLUMN: blurredDepths, ROWS: sliceRows },
      resources: { ...sliced, blurred },
    }),
  ];
  const steps = await Promise.all([build(), ...(blurred ? blurThenSlice(blurred) : [blurSlice()])]);
  return {
    grid,
    ranges,
    blurred,
    filtered,
    encode(pass) {
      for (const [kernel, x, y] of steps) kernel.dispatch(pass, x, y);
    },
    destroy() {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}

type Groups = readonly [x: number, y: number];
type Step = readonly [kernel: Kernel, ...Groups];

/** Invocations to a subgroup. Older browsers do not tell, and 128 is what an adapter tells that does not know: 32 then. */
function subgroupOf(device: GPUDevice): number {
  const told = device.adapterInfo?.subgroupMaxSize || 128;
  return told > 64 ? 32 : told;
}

/** How the work is dealt out. What comes out does not depend on it. */
export interface Tuning {
  /** Invocations to a column in `build`, whole subgroups; or 1, which takes another kernel. */
  readonly threads: number;
  /** Cells of a column that it holds at a time; a power of two. Of no use with one invocation. */
  readonly bins: number;
  /** Invocations to a column in `blur`. */
  readonly stretches: number;
  /** Rows of pixels to an invocation in `slice`. */
  readonly sliceRows: 1 | 2;
  /** Whether blur and slice are one kernel. Only where σ is a multiple of 8 px. */
  readonly fused: boolean;
}

/** Invocations of `slice` below each other in a workgroup. */
const SLICE_LINES = 32;

/** Above so many pixels the work counts, and a dispatch more does not. */
const LARGE = 2 ** 21;

/** So many columns keep a device busy by themselves. */
const MANY = 2 ** 14;

/** A GPU hides the latency of its loads behind other invocations; a CPU that plays one only pays for each of them. */
export function tuningFor(subgroup: number, { space, width, height, columns, rows }: GridShape): Tuning {
  if (subgroup <= 8) {
    return { threads: 1, bins: 64, stretches: 1, sliceRows: 2, fused: false };
  }
  const large = width * height >= LARGE;
  // Four pixels for each invocation, as far as a workgroup's 256 go; one subgroup where there are columns in plenty.
  const items = space * Math.ceil((space + (space % 4) * 1.5) / 4);
  const threads = columns * rows >= MANY ? subgroup : Math.min(256, subgroup * Math.ceil(items / subgroup));
  const fused = space % 8 === 0 && !large;
  return { threads, bins: 128, stretches: large ? 8 : 16, sliceRows: 1, fused };
}
