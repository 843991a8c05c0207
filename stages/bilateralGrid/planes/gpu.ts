import buildCode from "../../../shaders/bilateralGrid/planeBuild.wgsl?raw";
import sliceCode from "../../../shaders/bilateralGrid/planeSlice.wgsl?raw";
import { createKernel, structView } from "../../../shaders/kernel.ts";
import type { Pool } from "../../pool.ts";
import type { DepthImage } from "../../resources.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";

/** A workgroup slices so many pixels along and down. */
const BLOCK = 8;

/** The filter on a device: its buffers, and its two dispatches. */
export interface PlanesOnGpu {
  /** As the twin's `index`, and its `moments` as f32. */
  readonly index: GPUBuffer;
  readonly moments: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
}

/** Takes everything for one shape from the pool and binds it. `input` is read each time the filter is encoded. */
export async function planesOnGpu(pool: Pool, shape: PlaneShape, input: DepthImage): Promise<PlanesOnGpu> {
  const { device } = pool;
  const {
    width,
    height,
    space,
    columns,
    rows,
    masks,
    slots,
    centres,
    entryOf,
    positionOf,
    scale,
    squareShift,
    inset,
    axis,
    sigma,
    sigmaGrowth,
  } = shape;
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const scratch = (name: string, words: number) => pool.buffer(name, words * 4, STORAGE | COPY_SRC | COPY_DST);
  const index = scratch("index", columns * rows * masks * 2);
  const moments = scratch("moments", columns * rows * slots * MOMENTS);
  const entries = scratch("entryOf", entryOf.length);
  const positions = scratch("positionOf", positionOf.length);
  const middles = scratch("centres", masks * 32);
  const filtered = pool.depthImage("filtered", width, height);
  const axisView = structView(sliceCode, "axisOfDepth");
  const axisOfDepth = pool.buffer("planeAxis", axisView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const constants = {
    SPACE: space,
    HEIGHT: height,
    ROW: input.stride / 2,
    COLUMNS: columns,
    MASKS: masks,
    INSET: inset,
  };
  // A region of odd σ may begin in the middle of a word, and end with one that it shares.
  const blocks = Math.ceil((space + (space % 2)) / BLOCK);
  // Regions reach to the end of a row's padding.
  const regions = Math.floor((input.stride - 1 + inset + Math.ceil(space / 2)) / space) + 1;
  const [build, slice] = await Promise.all([
    createKernel(device, {
      label: "bilateralGrid/planeBuild",
      code: buildCode,
      constants: {
        ...constants,
        WIDTH: width,
        SQUARE_SHIFT: squareShift,
        THREADS: Math.min(256, 32 * Math.ceil((space * Math.ceil(space / 2)) / 32)),
      },
      resources: { depth: input.buffer, entryOf: entries, index, moments },
    }),
    createKernel(device, {
      label: "bilateralGrid/planeSlice",
      code: sliceCode,
      constants: { ...constants, ROWS: rows, BLOCKS: blocks },
      resources: {
        depth: input.buffer,
        positionOf: positions,
        index,
        moments,
        centres: middles,
        filtered: filtered.buffer,
        axisOfDepth,
      },
    }),
  ]);

  let begun = false;
  /** Before the first frame and not earlier: until then what was built before may still use the same buffers. */
  const begin = () => {
    begun = true;
    const { queue } = device;
    queue.writeBuffer(entries, 0, entryOf);
    queue.writeBuffer(positions, 0, positionOf);
    queue.writeBuffer(middles, 0, Float32Array.from(centres));
    const { cells, farthest } = axis;
    axisView.set({ cells, farthest, step: 1 / scale, square: 2 ** squareShift, sigma, growth: sigmaGrowth });
    queue.writeBuffer(axisOfDepth, 0, axisView.arrayBuffer);
  };
  return {
    index,
    moments,
    filtered,
    encode(pass) {
      if (!begun) begin();
      build.dispatch(pass, columns, rows);
      slice.dispatch(pass, regions * blocks, (rows + 1) * blocks);
    },
  };
}
