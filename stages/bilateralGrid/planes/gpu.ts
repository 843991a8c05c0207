import buildShader from "../../../shaders/bilateralGrid/planeBuild.wgsl";
import fitShader from "../../../shaders/bilateralGrid/planeFit.wgsl";
import refitShader from "../../../shaders/bilateralGrid/planeRefit.wgsl";
import sliceShader from "../../../shaders/bilateralGrid/planeSlice.wgsl";
import { createKernel } from "../../../shaders/kernel.ts";
import { structView } from "../../../shaders/shader.ts";
import type { Pool } from "../../core/pool.ts";
import type { DepthImage } from "../../core/resources.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";

const PLANE_BYTES = 16;
/** planeBuild: pixels per invocation, invocations per workgroup, and the largest number of tiles per workgroup. */
const [RUN, THREADS, TILES] = [4, 128, 8];
/** If a column's index has more words than this, workgroup memory holds one tile only. */
const MOST_MASKS = 128;
/** Columns per workgroup of planeFit. */
const FITTED = 4;
/** Invocations of planeRefit per workgroup, and at most per column; if there are more planes, an invocation takes several. */
const [REFITTING, REFITTED] = [64, 16];
/**
 * Bytes of an entry of planeFit's list, and entries per column and pixel of a tile's width: twice what the noisiest camera needs. If a
 * frame needs more, planeRefit works without the list.
 */
const [ENTRY_BYTES, ENTRIES] = [32, 8];
/** Bytes of a slot's moments, and of its residuals: three places of a vector each. */
const SLOT_BYTES = 48;
/** Pixels that a workgroup of planeSlice writes, across and down. */
const SLICED = [8, 16] as const;
/**
 * The planes of all cells have a place in memory, and the moments of as many cells as there are pixels. If all rows need more bytes of
 * either than this, or than the device allows, the rows are processed band by band. A frame of 1280 × 720 fits in one band.
 */
const BAND_BYTES = 2 ** 28;

/** The filter on a device: its buffers and its kernels. */
export interface PlanesOnGpu {
  /** As the twin's `index`; and its `moments`, as f32; where there are bands, of the last rows only. */
  readonly index: GPUBuffer;
  readonly moments: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
}

/**
 * Allocates from the pool, and builds the kernels for one shape. Each `encode` reads `input`. A test sets how many bytes of planes and how
 * many entries for each column there are.
 */
export async function planesOnGpu(
  pool: Pool,
  shape: PlaneShape,
  input: DepthImage,
  {
    bandBytes = Math.min(BAND_BYTES, pool.device.limits.maxStorageBufferBindingSize),
    entriesEach = ENTRIES * shape.space,
  } = {},
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
    slope,
    agreement,
  } = shape;
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const scratch = (name: string, words: number) => pool.buffer(name, words * 4, STORAGE | COPY_SRC | COPY_DST);
  // A plane per cell of each column, and of one more column on each side. A pixel lies between two rows of planes.
  const rowOfPlanes = (columns + 2) * masks * 32 * PLANE_BYTES;
  const rowOfSlots = columns * slots * SLOT_BYTES;
  const between = Math.floor((2 * height - 1 + space) / (2 * space)) + 1; // rows of planes between which pixels lie
  // The residuals of a band need a further row of planes on each side, and these the moments of a further row of tiles.
  const deepest = Math.max(1, Math.floor(Math.min(bandBytes / rowOfPlanes - 3, bandBytes / rowOfSlots - 5)));
  const deep = Math.ceil(between / Math.ceil(between / deepest));
  const most = Math.min(deep + 3, between + 1);
  const kept = Math.min(deep + 5, rows);
  // The number of rows of tiles in memory: row y overwrites row y − `kept`.
  const index = scratch("index", kept * columns * masks * 2);
  const moments = scratch("moments", kept * columns * slots * MOMENTS);
  const residuals = pool.buffer("residuals", kept * rowOfSlots, STORAGE);
  // For each workgroup of columns: which masks are not 0.
  const spans = scratch("spans", columns * rows * 2);
  const planes = pool.buffer("planes", most * rowOfPlanes, STORAGE);
  const room = Math.ceil(most * (columns + 2) * Math.min(entriesEach, masks * 32));
  const entriesToRefit = pool.buffer("entries", room * ENTRY_BYTES, STORAGE);
  const entryCounts = scratch("entryCounts", Math.ceil(between / deep));
  const entries = scratch("entryOf", entryOf.length);
  const positions = scratch("positionOf", positionOf.length);
  const middles = scratch("centres", masks * 32);
  const filtered = pool.depthImage("filtered", width, height);
  const axisView = structView(sliceShader, "axis");
  const axisBuffer = pool.buffer("planeAxis", axisView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  const row = input.stride / 2;
  const grid = { SPACE: space, COLUMNS: columns, MASKS: masks };
  const tiles = { ...grid, KEPT: kept };
  const lanes = Math.min(THREADS, space * Math.ceil(space / RUN));
  const parts = masks > MOST_MASKS ? 1 : Math.min(TILES, Math.floor(THREADS / lanes));
  /** Workgroups of planeRefit for so many rows of planes. */
  const refitting = (fitted: number) =>
    Math.min(
      Math.ceil(((columns + 2) * fitted * REFITTED) / REFITTING),
      device.limits.maxComputeWorkgroupsPerDimension,
    );
  const bandView = structView(sliceShader, "band");
  const bands = Array.from({ length: Math.ceil(between / deep) }, async (_, i) => {
    const first = i * deep;
    const count = Math.min(deep, between - first);
    // Bands meet half a tile above the centres of a row of tiles.
    const top = Math.max(0, Math.ceil((first - 0.5) * space - 0.5));
    const bottom = Math.min(height, Math.ceil((first + count - 0.5) * space - 0.5));
    const [from, until] = [Math.max(0, first - 1), Math.min(between + 1, first + count + 2)];
    const band = pool.buffer(`band ${i}`, bandView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    // The rows of tiles that this band needs and no band before it.
    const [built, toBuild] = [i === 0 ? 0 : Math.min(rows, first + 2), Math.min(rows, until)];
    const [build, fit, refit, slice] = await Promise.all([
      createKernel(device, {
        label: "bilateralGrid/planeBuild",
        shader: buildShader,
        constants: {
          ...tiles,
          INSET: inset,
          WIDTH: width,
          HEIGHT: height,
          ROW: row,
          SQUARE_SHIFT: squareShift,
          LANES: lanes,
          PARTS: parts,
          RUN,
        },
        resources: { depth: input.buffer, entryOf: entries, index, spans, moments, entryCounts, band },
      }),
      createKernel(device, {
        label: "bilateralGrid/planeFit",
        shader: fitShader,
        constants: { ...tiles, ROWS: rows, BUILT: parts },
        resources: {
          ...{ index, spans, moments, centres: middles, planes, entryCounts, entries: entriesToRefit },
          ...{ residuals, axis: axisBuffer, band },
        },
      }),
      createKernel(device, {
        label: "bilateralGrid/planeRefit",
        shader: refitShader,
        constants: { ...tiles, ROWS: rows },
        resources: {
          ...{ index, moments, centres: middles, entryCounts, entries: entriesToRefit, planes, residuals },
          ...{ axis: axisBuffer, band },
        },
      }),
      createKernel(device, {
        label: "bilateralGrid/planeSlice",
        shader: sliceShader,
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
    const values = { first: from, rows: until - from, top, bottom, built, number: i };
    return { ...{ build, fit, refit, slice, band, values }, buildRows: toBuild - built };
  });
  const banded = await Promise.all(bands);

  let begun = false;
  /** Writes the tables at the first frame, not earlier: until then the previous build may still use the same buffers. */
  const begin = () => {
    begun = true;
    const { queue } = device;
    queue.writeBuffer(entries, 0, entryOf);
    queue.writeBuffer(positions, 0, positionOf);
    queue.writeBuffer(middles, 0, Float32Array.from(centres));
    const { cells, farthest } = axis;
    const range = { sigma, growth: sigmaGrowth, agreement };
    axisView.set({ cells, farthest, step: 1 / scale, square: 2 ** squareShift, ...range, slope });
    queue.writeBuffer(axisBuffer, 0, axisView.arrayBuffer);
    for (const { band, values } of banded) {
      bandView.set(values);
      queue.writeBuffer(band, 0, bandView.arrayBuffer);
    }
  };
  return {
    index,
    moments,
    filtered,
    encode(pass) {
      if (!begun) begin();
      for (const { build, fit, refit, slice, buildRows, values } of banded) {
        const { rows: fitted, top, bottom } = values;
        if (buildRows > 0) build.dispatch(pass, Math.ceil(columns / parts), buildRows);
        fit.dispatch(pass, Math.ceil((columns + 2) / FITTED), fitted);
        refit.dispatch(pass, refitting(fitted));
        slice.dispatch(pass, Math.ceil(input.stride / SLICED[0]), Math.ceil((bottom - top) / SLICED[1]));
      }
    },
  };
}
