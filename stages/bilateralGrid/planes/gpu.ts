import buildShader from "../../../shaders/bilateralGrid/planeBuild.wgsl";
import fitShader from "../../../shaders/bilateralGrid/planeFit.wgsl";
import refitShader from "../../../shaders/bilateralGrid/planeRefit.wgsl";
import sliceShader from "../../../shaders/bilateralGrid/planeSlice.wgsl";
import { createKernel } from "../../../shaders/kernel.ts";
import { constantOf, sizeOf, structView } from "../../../shaders/shader.ts";
import type { Pool } from "../../core/pool.ts";
import type { DepthImage } from "../../core/resources.ts";
import { SIGNIFICANCE } from "./planeRefit.ts";
import type { PlaneShape } from "./shape.ts";
import { cellsOf, centresOf, positionsOf } from "./tables.ts";

/** planeBuild: pixels per invocation, invocations per workgroup, and the largest number of tiles per workgroup. */
const RUN = 4;
const BUILDING = 128;
const TILES = 8;
/** If a column's index has more words than this, workgroup memory holds one tile only. */
const MOST_MASKS = 128;
/** Invocations of planeRefit for each column, at most; if there are more planes, an invocation takes several. */
const REFITTED = 16;
/**
 * Entries of planeFit's list per column and pixel of a tile's width: twice what the noisiest camera needs. If a frame needs more,
 * planeRefit works without the list.
 */
const ENTRIES = 8;
/**
 * The planes, moments and residuals of all cells have a place in memory. If planes, moments or residuals of all rows need more bytes than
 * this, or than the device allows, the rows are processed band by band. A frame of 1280 × 720 fits in one band.
 */
const BAND_BYTES = 2 ** 28;

/** The filter on a device: its buffers and its kernels. */
interface PlanesOnGpu {
  /** For each column of the last rows and each 32 of its cells: a bit for each cell with pixels in or beside it, or within two cells. */
  readonly index: GPUBuffer;
  readonly filtered: DepthImage;
  encode(pass: GPUComputePassEncoder): void;
}

/** Which rows of planes are in memory at once. */
interface Bands {
  /** The rows of planes between which pixels lie. */
  readonly between: number;
  /** The rows of planes of a band, whose pixels are filtered together. */
  readonly deep: number;
  /** The rows of planes in memory: a band's, and those that its residuals need. */
  readonly most: number;
  /** The rows of tiles in memory: row y overwrites row y − `kept`. */
  readonly kept: number;
}

/** The bytes of a row of planes: one for each cell of each column, and of one more column on each side. */
const rowOfPlanes = ({ columns, masks }: PlaneShape) => (columns + 2) * masks * 32 * sizeOf(fitShader, "planes");
/** The cells of a row of columns, and the bytes of their moments. */
const rowOfCells = ({ columns, masks }: PlaneShape) => columns * masks * 32;
const rowOfMoments = (shape: PlaneShape) =>
  rowOfCells(shape) * constantOf(buildShader, "MOMENT_VECTORS") * sizeOf(buildShader, "moments");

/** Divides the rows into bands of at most `bandBytes` bytes of planes, and of moments. */
function bandsOf(shape: PlaneShape, bandBytes: number): Bands {
  const { height, space, rows } = shape;
  // A pixel lies between two rows of planes.
  const between = Math.floor((2 * height - 1 + space) / (2 * space)) + 1;
  // The residuals of a band need one more row of planes on each side, and those planes the moments of one more row of tiles.
  const deepest = Math.floor(Math.min(bandBytes / rowOfPlanes(shape) - 3, bandBytes / rowOfMoments(shape) - 5));
  const deep = Math.ceil(between / Math.ceil(between / Math.max(1, deepest)));
  return { between, deep, most: Math.min(deep + 3, between + 1), kept: Math.min(deep + 5, rows) };
}

/** Band number `i`: the values of the uniform `band`, and how many rows of tiles no band before it has built. */
function bandOf({ height, space, rows }: PlaneShape, { between, deep }: Bands, i: number) {
  const first = i * deep;
  const count = Math.min(deep, between - first);
  // Bands meet half a tile above the centres of a row of tiles.
  const top = Math.max(0, Math.ceil((first - 0.5) * space - 0.5));
  const bottom = Math.min(height, Math.ceil((first + count - 0.5) * space - 0.5));
  const [from, until] = [Math.max(0, first - 1), Math.min(between + 1, first + count + 2)];
  const built = i === 0 ? 0 : Math.min(rows, first + 2);
  return {
    values: { first: from, rows: until - from, top, bottom, built, number: i },
    buildRows: Math.min(rows, until) - built,
  };
}

type Buffers = Readonly<
  Record<
    | "axis"
    | "cells"
    | "centres"
    | "entries"
    | "entryCounts"
    | "entryOf"
    | "index"
    | "moments"
    | "planes"
    | "positionOf"
    | "residuals"
    | "spans",
    GPUBuffer
  >
>;

/** How the columns of a row are dealt out to the workgroups of planeBuild: invocations for a column, and columns for a workgroup. */
function dealtOut({ space, masks }: PlaneShape) {
  const lanes = Math.min(BUILDING, space * Math.ceil(space / RUN));
  return { lanes, parts: masks > MOST_MASKS ? 1 : Math.min(TILES, Math.floor(BUILDING / lanes)) };
}

/** The kernels of a band. */
async function kernelsFor(
  { device }: Pool,
  shape: PlaneShape,
  kept: number,
  { entryOf, axis, cells, centres, positionOf, ...buffers }: Buffers & { readonly band: GPUBuffer },
  [input, filtered]: readonly [DepthImage, DepthImage],
) {
  const { width, height, space, columns, rows, masks, squareShift, inset } = shape;
  const { index, spans, moments, planes, entries, entryCounts, residuals, band } = buffers;
  const row = input.stride / 2;
  const grid = { SPACE: space, COLUMNS: columns, MASKS: masks };
  const tiles = { ...grid, KEPT: kept };
  const { lanes, parts } = dealtOut(shape);
  const split = { LANES: lanes, PARTS: parts, RUN };
  const size = { INSET: inset, WIDTH: width, HEIGHT: height, ROW: row, SQUARE_SHIFT: squareShift };
  const [build, fit, refit, slice] = await Promise.all([
    createKernel(device, {
      label: "bilateralGrid/planeBuild",
      shader: buildShader,
      constants: { ...tiles, ...size, ...split },
      resources: { depth: input.buffer, entryOf, index, spans, moments, entryCounts, band, axis, centres },
    }),
    createKernel(device, {
      label: "bilateralGrid/planeFit",
      shader: fitShader,
      constants: { ...tiles, ROWS: rows, BUILT: parts },
      resources: { index, spans, moments, cells, planes, entryCounts, entries, residuals, axis, band },
    }),
    createKernel(device, {
      label: "bilateralGrid/planeRefit",
      shader: refitShader,
      constants: { ...tiles, ROWS: rows },
      resources: { index, moments, cells, entryCounts, entries, planes, residuals, axis, band },
    }),
    createKernel(device, {
      label: "bilateralGrid/planeSlice",
      shader: sliceShader,
      constants: { ...grid, INSET: inset, ROW: row },
      resources: { depth: input.buffer, positionOf, planes, filtered: filtered.buffer, axis, band },
    }),
  ]);
  return { build, fit, refit, slice };
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
  const { width, height, columns, rows, masks, entryOf, positionOf } = shape;
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const scratch = (name: string, bytes: number) => pool.buffer(name, bytes, STORAGE | COPY_SRC | COPY_DST);
  const rowsAtOnce = bandsOf(shape, bandBytes);
  const { between, deep, most, kept } = rowsAtOnce;
  const axisView = structView(sliceShader, "axis");
  const bandView = structView(sliceShader, "band");
  const room = Math.ceil(most * (columns + 2) * Math.min(entriesEach, masks * 32));
  const buffers: Buffers = {
    index: scratch("index", kept * columns * masks * sizeOf(buildShader, "index")),
    moments: pool.buffer("moments", kept * rowOfMoments(shape), STORAGE),
    residuals: pool.buffer("residuals", kept * rowOfCells(shape) * sizeOf(fitShader, "residuals"), STORAGE),
    // For each workgroup of columns: which masks are not 0.
    spans: scratch("spans", columns * rows * sizeOf(buildShader, "spans")),
    planes: pool.buffer("planes", most * rowOfPlanes(shape), STORAGE),
    entries: pool.buffer("entries", room * sizeOf(fitShader, "Entry"), STORAGE),
    entryCounts: scratch("entryCounts", 4 * Math.ceil(between / deep)),
    entryOf: scratch("entryOf", 4 * entryOf.length),
    positionOf: scratch("positionOf", positionOf.length * sizeOf(sliceShader, "positionOf")),
    cells: scratch("cells", masks * 32 * sizeOf(fitShader, "Cell")),
    centres: scratch("centres", masks * 32 * sizeOf(buildShader, "Centre")),
    axis: pool.buffer("planeAxis", axisView.arrayBuffer.byteLength, UNIFORM | COPY_DST),
  };
  const filtered = pool.depthImage("filtered", width, height);
  const bands = Array.from({ length: Math.ceil(between / deep) }, async (_, i) => {
    const band = pool.buffer(`band ${i}`, bandView.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    const kernels = await kernelsFor(pool, shape, kept, { ...buffers, band }, [input, filtered]);
    return { ...kernels, ...bandOf(shape, rowsAtOnce, i), band };
  });
  const banded = await Promise.all(bands);

  let begun = false;
  /** Writes the tables at the first frame, not earlier: until then the previous build may still use the same buffers. */
  const begin = () => {
    begun = true;
    const { queue } = device;
    queue.writeBuffer(buffers.entryOf, 0, entryOf);
    queue.writeBuffer(buffers.positionOf, 0, positionsOf(shape));
    queue.writeBuffer(buffers.cells, 0, cellsOf(shape));
    queue.writeBuffer(buffers.centres, 0, centresOf(shape));
    const { sigma, sigmaGrowth: growth, slope } = shape;
    const { cells, farthest } = shape.axis;
    axisView.set({ cells, farthest, sigma, growth, slope, significance: SIGNIFICANCE, zero: 0 });
    queue.writeBuffer(buffers.axis, 0, axisView.arrayBuffer);
    for (const { band, values } of banded) {
      bandView.set(values);
      queue.writeBuffer(band, 0, bandView.arrayBuffer);
    }
  };
  const { parts } = dealtOut(shape);
  const fittedAtOnce = constantOf(fitShader, "FITTED");
  const threads = constantOf(refitShader, "THREADS");
  /** The number of workgroups with which planeRefit is dispatched for `fitted` rows of planes. */
  const refitting = (fitted: number) =>
    Math.min(Math.ceil(((columns + 2) * fitted * REFITTED) / threads), device.limits.maxComputeWorkgroupsPerDimension);
  return {
    index: buffers.index,
    filtered,
    encode(pass) {
      if (!begun) begin();
      for (const { build, fit, refit, slice, buildRows, values } of banded) {
        const { rows: fitted, top, bottom } = values;
        if (buildRows > 0) build.dispatch(pass, Math.ceil(columns / parts), buildRows);
        fit.dispatch(pass, Math.ceil((columns + 2) / fittedAtOnce), fitted);
        refit.dispatch(pass, refitting(fitted));
        slice.cover(pass, input.stride / 2, bottom - top);
      }
    },
  };
}
