import type { FrameShape } from "../../sources/frame.ts";
import type { CpuPicture, Twin } from "../stage.ts";
import { Layout, onSameMemory, type Wasm } from "../wasm.ts";
import { cameraOf, filmOf, type Parameters } from "./camera.ts";
import { pointsOf, roomOf } from "./cpu.ts";
import develop from "./develop.wat";
import { ENCODED, edgesOf, encoded, TILE } from "./film.ts";
import film from "./film.wat";
import lists from "./lists.wat";
import neighbours from "./neighbours.wat";
import patch from "./patch.wat";
import place from "./place.wat";
import { FIELDS } from "./project.ts";
import { BYTES, ENDS, LIGHT, RUN_FIELDS, thinBits } from "./runs.ts";
import runs from "./runs.wat";
import shape from "./shape.wat";
import { VIEW_NUMBERS, writeView } from "./view.ts";

/** Addresses, but for counts, sizes and pixels: the .wat files say what is there. */
interface Exports {
  measure(points: number, count: number, view: number, distances: number, pixels: number, lengths: number): void;
  gather(
    points: number,
    from: number,
    to: number,
    count: number,
    view: number,
    distances: number,
    pixels: number,
    lengths: number,
    thin: number,
    tables: number,
    runs: number,
  ): number;
  place(runs: number, end: number, view: number, places: number): void;
  neighbours(places: number, count: number, depth: number, columns: number, rows: number, view: number): void;
  patch(places: number, count: number, view: number): void;
  shape(patches: number, count: number, view: number, light: number, splats: number, marks: number): number;
  sort(list: number, end: number, spare: number, bins: number): number;
  scatter(
    marks: number,
    count: number,
    columns: number,
    starts: number,
    tiles: number,
    list: number,
    splats: number,
  ): void;
  clear(film: number, width: number, height: number): void;
  accumulate(
    list: number,
    listEnd: number,
    film: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    edges: number,
    edgesEnd: number,
  ): void;
  develop(
    film: number,
    width: number,
    height: number,
    rgba: number,
    depth: number,
    stride: number,
    lit: number,
    bytes: number,
    empty: number,
  ): void;
}

/** Points that are taken to the picture at a time: what stands between two passes stays in a cache. */
const BATCH = 1024;
/** Words that the sort counts in. */
const BINS = 2048;
/** Pairs of numbers for the edges of an aperture of 12 blades. */
const MOST_EDGES = 6;
/** Of one place, of four side by side. */
const PLACE_BYTES = 76;
const FILM_BYTES = TILE * TILE * 20;
/** Of how it is developed. */
const FILM_NUMBERS = 6;
const BINARIES = [runs, place, neighbours, patch, shape, lists, film, develop];

/** What `dofSplatTwin` gives, to the last bit, in WebAssembly's 128-bit vectors. `undefined` where there are none, or not the memory. */
export const dofSplatSimd = (frameShape: FrameShape, parameters: Parameters, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => createSimd(frameShape, parameters, open));

function createSimd(
  frameShape: FrameShape,
  parameters: Parameters,
  open: (bytes: number, zeros: number) => Wasm<Exports> | undefined,
): Twin | undefined {
  const { width, height, maxReachPx } = parameters;
  const { width: across, height: down } = frameShape.intrinsics;
  const { capacity, columns, tiles, entries } = roomOf(frameShape, parameters);
  // Four at a time: what comes after the last is read or written, too.
  const spare = capacity + 4;
  const layout = new Layout();
  const view = layout.take(VIEW_NUMBERS * 4);
  const tables = layout.take(LIGHT.byteLength + ENDS.byteLength + BYTES.byteLength);
  const bytes = layout.take(ENCODED.byteLength);
  const edges = layout.take(MOST_EDGES * 8);
  const lit = layout.take(FILM_NUMBERS * 4);
  const negatives = layout.take(FILM_BYTES);
  const bins = layout.take(BINS * 4);
  const counters = layout.take((tiles + 1) * 4);
  const depth = layout.take(across * down * 2);
  const cloud = layout.take(spare * 16);
  const [distances, pixels, lengths] = [layout.take(spare * 4), layout.take(spare * 4), layout.take(spare * 4)];
  const [found, places] = [layout.take((BATCH + 4) * RUN_FIELDS * 4), layout.take((BATCH + 4) * PLACE_BYTES)];
  const splats = layout.take(spare * FIELDS * 4);
  const [marks, sorted] = [layout.take(spare * 8), layout.take(spare * 8)];
  const list = layout.take(entries * 8);
  const rgba = layout.take(width * height * 4 + 16);
  const drawn = layout.take(width * height * 4 + 16);
  // Nothing has to be 0: what is read was written for the frame, or is beside it and counts for nothing.
  const wasm = open(layout.bytes, 0);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  new Float32Array(buffer, tables).set(LIGHT);
  new Float32Array(buffer, tables + LIGHT.byteLength).set(ENDS);
  new Uint8Array(buffer, tables + LIGHT.byteLength + ENDS.byteLength).set(BYTES);
  new Uint8Array(buffer, bytes).set(ENCODED);
  const depths = new Uint16Array(buffer, depth, across * down);
  const points = new Float32Array(buffer, cloud, capacity * 4);
  const numbers = new Float32Array(buffer, view, VIEW_NUMBERS);
  const outline = new Float32Array(buffer, edges, MOST_EDGES * 2);
  const light = new Float32Array(buffer, lit, FILM_NUMBERS);
  const starts = new Uint32Array(buffer, counters, tiles + 1);
  const picture: CpuPicture = {
    width,
    height,
    rgba: new Uint8ClampedArray(buffer, rgba, width * height * 4),
    depth: new Float32Array(buffer, drawn, width * height),
  };

  /** Makes the splats and the tiles' lists. */
  const aim = (count: number, thin: number) => {
    exports.measure(cloud, count, view, distances, pixels, lengths);
    let visible = 0;
    for (let from = 0; from < count; from += BATCH) {
      const to = Math.min(from + BATCH, count);
      const end = exports.gather(cloud, from, to, count, view, distances, pixels, lengths, thin, tables, found);
      const runCount = (end - found) / (RUN_FIELDS * 4);
      exports.place(found, end, view, places);
      exports.neighbours(places, runCount, depth, across, down, view);
      exports.patch(places, runCount, view);
      visible += exports.shape(places, runCount, view, tables, splats + visible * FIELDS * 4, marks + visible * 8);
    }
    starts.fill(0);
    exports.scatter(marks, visible, columns, counters, tiles, list, splats);
  };

  return {
    run(frame) {
      const { floats, count } = pointsOf(frame, capacity);
      points.set(floats.length > 4 * count ? floats.subarray(0, 4 * count) : floats);
      depths.set(frame.depth.data);
      const camera = cameraOf(frameShape, parameters);
      writeView(numbers, camera, picture, maxReachPx);
      const blades = edgesOf(parameters.blades);
      outline.set(blades);
      const { background, fill, blur, inverseFocus } = filmOf(parameters, camera);
      light.set([...background, fill, blur, inverseFocus]);
      const [red, green, blue] = light.subarray(0, 3).map(encoded);
      const empty = (255 << 24) | (blue << 16) | (green << 8) | red;
      aim(count, thinBits(camera.thinning));
      for (let top = 0, t = 0; top < height; top += TILE, t += columns) {
        const bottom = Math.min(top + TILE, height) - 1;
        // From the right: what is written past a row's end is the next one's first tile's, which is yet to come.
        for (let column = columns - 1; column >= 0; column--) {
          const left = column * TILE;
          const right = Math.min(left + TILE, width) - 1;
          const at = 4 * (top * width + left);
          const [tileWidth, tileHeight] = [right - left + 1, bottom - top + 1];
          exports.clear(negatives, tileWidth, tileHeight);
          const [from, to] = [starts[t + column], starts[t + column + 1]];
          const nearest = exports.sort(from, to, sorted, bins);
          const end = nearest + to - from;
          exports.accumulate(nearest, end, negatives, left, top, right, bottom, edges, edges + blades.byteLength);
          exports.develop(negatives, tileWidth, tileHeight, rgba + at, drawn + at, width, lit, bytes, empty);
        }
      }
      frame.picture = picture;
    },
  };
}
