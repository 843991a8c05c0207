import buildCode from "../../../shaders/bilateralGrid/planeBuild.wgsl?raw";
import fitCode from "../../../shaders/bilateralGrid/planeFit.wgsl?raw";
import refitCode from "../../../shaders/bilateralGrid/planeRefit.wgsl?raw";
import sliceCode from "../../../shaders/bilateralGrid/planeSlice.wgsl?raw";
import { createKernel, structView } from "../../../shaders/kernel.ts";
import type { Pool } from "../../core/pool.ts";
import type { DepthImage } from "../../core/resources.ts";
import type { FrameFacts, KernelWork } from "../../core/work.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";
import { planesWork } from "./work.ts";

/** planeBuild: pixels per invocation, invocations per workgroup, and the largest number of tiles per workgroup. */
const [RUN, THREADS, TILES] = [4, 128, 8];
/** If a column's index has more words than this, workgroup memory holds one tile only. */
const MOST_MASKS = 128;
/** Columns per workgroup of planeFit. */
const FITTED = 4;
/** Invocations per workgroup of planeRefit, and for each column; an invocation takes more planes where there are more. */
const [REFITTING, REFITTED] = [64, 8];
/**
 * Bytes of an entry of planeFit's list. A slot's cell, and the one on each side, ask for planes in nine columns; a chunk of eight words
 * lists up to four cells of its neighbours.
 */
const [ENTRY_BYTES, PLANES_PER_SLOT, CHUNK, CHUNK_EXTRA] = [32, 27, 8, 4];
/** Pixels that a workgroup of planeSlice writes, across and down. */
const SLICED = [8, 16] as const;
/** The planes of all cells have a place in memory. If all rows need more bytes than this, the rows are processed band by band. */
const BAND_BYTES = 2 ** 26;

/** The filter on a device: its buffers and its kernels. */
export interface PlanesOnGpu {
  /** As the twin's `index`; and its `moments`, as f32. */
  readonly index: GPUBuffer;
  readonly moments: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
  work(facts: FrameFacts): readonly KernelWork[];
}

/** Allocates from the pool, and builds the kernels for one shape. Each `encode` reads `input`. */
export async function planesOnGpu(
  pool: Pool,
  shape: PlaneShape,
  input: DepthImage,
  bandBytes = BAND_BYTES,
): Promise<PlanesOnGpu> {
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
  // Which masks of adjacent columns are not 0.
  const spans = scratch("spans", columns * rows * 2);
  // A plane per cell of each column, and of one more column on each side. A pixel lies between two rows of planes.
  const rowOfPlanes = (columns + 2) * masks * 32 * 4;
  const between = Math.floor((2 * height - 1 + space) / (2 * space)) + 1; // rows of planes between which pixels lie
  // The rows of planes that a band needs around its own, for their residuals: one more on each side.
  const listed = Math.min(masks * 32, slots * PLANES_PER_SLOT) + (Math.ceil(masks / CHUNK) + 1) * CHUNK_EXTRA;
  const rowOfEntries = (columns + 2) * listed * ENTRY_BYTES;
  const fitting = Math.min(bandBytes / 4 / rowOfPlanes, (2 * bandBytes) / rowOfEntries);
  const deep = Math.max(1, Math.min(between, Math.floor(fitting) - 3));
  const most = Math.min(deep + 3, between + 1);
  const planes = scratch("planes", most * rowOfPlanes);
  const entriesToRefit = pool.buffer("entries", most * rowOfEntries, STORAGE);
  const residuals = scratch("residuals", columns * rows * slots * 3 * 4);
  const entryCounts = scratch("entryCounts", Math.ceil(between / deep));
  const entries = scratch("entryOf", entryOf.length);
  const positions = scratch("positionOf", positionOf.length);
  const middles = scratch("centres", masks * 32);
  const filtered = pool.depthImage("filtered", width, height);
  const axisView = structView(sliceCode, "axis");
  const axisBuffer = pool.buffer("planeAxis", axisView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const row = input.stride / 2;
  const grid = { SPACE: space, COLUMNS: columns, MASKS: masks };
  const lanes = Math.min(THREADS, space * Math.ceil(space / RUN));
  const parts = masks > MOST_MASKS ? 1 : Math.min(TILES, Math.floor(THREADS / lanes));
  const build = createKernel(device, {
    label: "bilateralGrid/planeBuild",
    code: buildCode,
    constants: {
      ...grid,
      INSET: inset,
      WIDTH: width,
      HEIGHT: height,
      ROW: row,
      SQUARE_SHIFT: squareShift,
      LANES: lanes,
      PARTS: parts,
      RUN,
    },
    resources: { depth: input.buffer, entryOf: entries, index, spans, moments, entryCounts },
  });
  const bandView = structView(sliceCode, "band");
  const bands = Array.from({ length: Math.ceil(between / deep) }, async (_, i) => {
    const first = i * deep;
    const count = Math.min(deep, between - first);
    // Bands meet half a tile above the centres of a row of tiles.
    const top = Math.max(0, Math.ceil((first - 0.5) * space - 0.5));
    const bottom = Math.min(height, Math.ceil((first + count - 0.5) * space - 0.5));
    const [from, until] = [Math.max(0, first - 1), Math.min(between + 1, first + count + 2)];
    const band = pool.buffer(`band ${i}`, bandView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    const refit = (SOLVE: number) =>
      createKernel(device, {
        label: "bilateralGrid/planeRefit",
        code: refitCode,
        constants: { ...grid, ROWS: rows, SOLVE },
        resources: {
          ...{ index, moments, centres: middles, entryCounts, entries: entriesToRefit, planes, residuals },
          ...{ axis: axisBuffer, band },
        },
      });
    const [fit, gather, solve, slice] = await Promise.all([
      createKernel(device, {
        label: "bilateralGrid/planeFit",
        code: fitCode,
        constants: { ...grid, ROWS: rows, BUILT: parts },
        resources: {
          ...{ index, spans, moments, centres: middles, planes, entryCounts, entries: entriesToRefit },
          ...{ axis: axisBuffer, band },
        },
      }),
      refit(0),
      refit(1),
      createKernel(device, {
        label: "bilateralGrid/planeSlice",
        code: sliceCode,
        constants: { ...grid, INSET: inset, ROW: row },
        resources: {
          depth: input.buffer,
          positionOf: positions,
          planes,
          filtered: filtered.buffer,
          axis: axisBuffer,
          band,
        },
      }),
    ]);
    return { fit, gather, solve, slice, from, rows: until - from, top, bottom, band };
  });
  const [built, ...banded] = await Promise.all([build, ...bands]);

  let begun = false;
  /** Writes the tables at the first frame, not earlier: until then the previous build may still use the same buffers. */
  const begin = () => {
    begun = true;
    const { queue } = device;
    queue.writeBuffer(entries, 0, entryOf);
    queue.writeBuffer(positions, 0, positionOf);
    queue.writeBuffer(middles, 0, Float32Array.from(centres));
    const { cells, farthest } = axis;
    axisView.set({ cells, farthest, step: 1 / scale, square: 2 ** squareShift, sigma, growth: sigmaGrowth });
    queue.writeBuffer(axisBuffer, 0, axisView.arrayBuffer);
    for (const [number, { band, from, top, bottom }] of banded.entries()) {
      bandView.set({ first: from, top, bottom, number });
      queue.writeBuffer(band, 0, bandView.arrayBuffer);
    }
  };
  return {
    index,
    moments,
    filtered,
    encode(pass) {
      if (!begun) begin();
      built.dispatch(pass, Math.ceil(columns / parts), rows);
      for (const { fit, gather, solve, slice, rows: fitted, top, bottom } of banded) {
        fit.dispatch(pass, Math.ceil((columns + 2) / FITTED), fitted);
        const groups = Math.ceil(((columns + 2) * fitted * REFITTED) / REFITTING);
        gather.dispatch(pass, groups);
        solve.dispatch(pass, groups);
        slice.dispatch(pass, Math.ceil(input.stride / SLICED[0]), Math.ceil((bottom - top) / SLICED[1]));
      }
    },
    work(facts) {
      const own = banded.map(({ fit, gather, solve, slice, rows: fitted, top, bottom }) => {
        const groups = Math.ceil(((columns + 2) * fitted * REFITTED) / REFITTING);
        const sliced = Math.ceil(input.stride / SLICED[0]) * Math.ceil((bottom - top) / SLICED[1]);
        const fitting = Math.ceil((columns + 2) / FITTED) * fitted;
        const filling = { gather: [gather, groups], solve: [solve, groups] } as const;
        return { fit: [fit, fitting], ...filling, slice: [slice, sliced], fitted, pixelRows: bottom - top } as const;
      });
      const each = { lanes, run: RUN, entryBytes: ENTRY_BYTES };
      return planesWork([built, Math.ceil(columns / parts) * rows], own, shape, each, facts);
    },
  };
}
