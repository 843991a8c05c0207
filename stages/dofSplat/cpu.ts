import type { FrameShape } from "../../sources/frame.ts";
import type { CpuPicture, Twin } from "../stage.ts";
import { cameraOf, type Film, filmOf, listBound, type Parameters, toEncoded, toLinear } from "./camera.ts";
import {
  COLOUR,
  DISTANCE,
  FIELDS,
  HALF_X,
  HALF_Y,
  PEAK,
  project,
  Runs,
  SOFT,
  type Splats,
  TILE_BITS,
  X,
  Y,
} from "./project.ts";
import { newSorting, type Sorting, sortByKeys } from "./sort.ts";

const TILE = 1 << TILE_BITS;
/** Who leaves less room than this in a pixel takes it all. Weights add up to 1 only within 2%: no hole is left. */
const CRUMB = 0.03;
/** A pixel has a distance if it has no more room than this: not 0.5, which whole patches on whole pixels would meet. */
const UNDRAWN = 0.51;

/** A tile in the making: of each pixel red, green and blue, linear, times the cover; and what is not covered yet. */
const [RED, GREEN, BLUE, ROOM, CHANNELS] = [0, 1, 2, 3, 4];

/** Pixels of the picture, the ends included. */
interface Tile {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The splats that touch each tile, in the order of their points. */
interface Lists {
  /** Tiles in a row of them. */
  readonly columns: number;
  /** Where each tile's list begins; at last where all end. */
  readonly starts: Uint32Array;
  /** Where each tile's next entry goes. */
  readonly next: Uint32Array;
  readonly list: Uint32Array;
}

/**
 * The stage on the CPU. The kernels' batches, and how they share a tile, are their schedule: here a tile's splats are sorted by
 * (distance, index) and laid down one after the other.
 */
export function dofSplatTwin(shape: FrameShape, parameters: Parameters): Twin {
  const { width, height, maxReachPx } = parameters;
  const capacity = shape.intrinsics.width * shape.intrinsics.height;
  const floats = new Float32Array(capacity * FIELDS);
  const splats = { floats, words: new Uint32Array(floats.buffer), tiles: new Int32Array(capacity) };
  const runs = new Runs(capacity);
  const columns = Math.ceil(width / TILE);
  const tiles = columns * Math.ceil(height / TILE);
  const lists: Lists = {
    columns,
    starts: new Uint32Array(tiles + 1),
    next: new Uint32Array(tiles),
    list: new Uint32Array(listBound(capacity, tiles, maxReachPx, TILE)),
  };
  const sorting = newSorting(capacity);
  const film = new Float32Array(TILE * TILE * CHANNELS);
  const rgba = new Uint8ClampedArray(width * height * 4);
  const picture: CpuPicture = { width, height, rgba, depth: new Float32Array(width * height) };
  const tile: Tile = { left: 0, top: 0, right: 0, bottom: 0 };
  return {
    run(frame) {
      if (!frame.points) throw new Error("dofSplat needs points: put compact before it");
      if (frame.points.count > capacity)
        throw new Error(`dofSplat has room for ${capacity} points, not ${frame.points.count}`);
      const camera = cameraOf(shape, parameters);
      const edges = edgesOf(parameters.blades);
      const lit = filmOf(parameters);
      runs.measure(frame.points, camera, maxReachPx);
      const visible = project(frame, frame.points, runs, splats, camera, picture, maxReachPx);
      scatter(splats, visible, lists);
      picture.depth.fill(0);
      for (let t = 0; t < tiles; t++) {
        tile.left = (t % columns) * TILE;
        tile.top = Math.floor(t / columns) * TILE;
        tile.right = Math.min(tile.left + TILE, width) - 1;
        tile.bottom = Math.min(tile.top + TILE, height) - 1;
        const start = lists.starts[t];
        const count = lists.starts[t + 1] - start;
        const order = sorted(splats, lists.list, start, count, sorting);
        accumulate(splats, order, count, edges, tile, film, picture);
        develop(film, tile, lit, picture);
      }
      frame.picture = picture;
    },
  };
}

/** Puts each splat on the lists of the tiles it touches. */
function scatter({ tiles }: Splats, visible: number, { columns, starts, next, list }: Lists): void {
  next.fill(0);
  each(tiles, visible, columns, (tile) => {
    next[tile] = next[tile] + 1;
  });
  let start = 0;
  for (let t = 0; t < next.length; t++) {
    const size = next[t];
    starts[t] = start;
    next[t] = start;
    start += size;
  }
  starts[next.length] = start;
  each(tiles, visible, columns, (tile, splat) => {
    const at = next[tile];
    next[tile] = at + 1;
    list[at] = splat;
  });
}

/** Calls for each splat and each tile that it touches. */
function each(tiles: Int32Array, visible: number, columns: number, call: (tile: number, splat: number) => void): void {
  for (let n = 0; n < visible; n++) {
    const touched = tiles[n];
    const right = (touched >> 16) & 255;
    const bottom = touched >>> 24;
    for (let y = (touched >> 8) & 255; y <= bottom; y++) {
      for (let x = touched & 255; x <= right; x++) call(y * columns + x, n);
    }
  }
}

/** A tile's list by (distance, index). */
function sorted({ words }: Splats, list: Uint32Array, start: number, count: number, sorting: Sorting): Uint32Array {
  const { keys, order } = sorting;
  for (let n = 0; n < count; n++) {
    const splat = list[start + n];
    order[n] = splat;
    keys[n] = words[splat * FIELDS + DISTANCE];
  }
  return sortByKeys(sorting, count);
}

/** Lays the splats down front to back: each takes its weight of the room left in a pixel, or the rest of it. */
function accumulate(
  { floats, words }: Splats,
  order: Uint32Array,
  count: number,
  edges: Float64Array,
  tile: Tile,
  film: Float32Array,
  { width, depth }: CpuPicture,
): void {
  film.fill(0);
  for (let p = ROOM; p < film.length; p += CHANNELS) film[p] = 1;
  for (let n = 0; n < count; n++) {
    const o = order[n] * FIELDS;
    const x = floats[o + X];
    const y = floats[o + Y];
    const halfX = floats[o + HALF_X];
    const halfY = floats[o + HALF_Y];
    const soft = floats[o + SOFT];
    const peak = Math.abs(floats[o + PEAK]);
    const distance = floats[o + DISTANCE];
    const colour = words[o + COLOUR];
    const red = LINEAR[colour & 255];
    const green = LINEAR[(colour >>> 8) & 255];
    const blue = LINEAR[(colour >>> 16) & 255];
    const disc = soft < 0;
    const polygon = disc && edges.length > 0;
    const turn = floats[o + PEAK] < 0 ? -1 : 1;
    const q = Math.abs(soft);
    const reachX = halfX + q;
    const reachY = halfY + q;
    const slopeX = 0.5 / Math.min(halfX, q);
    const slopeY = 0.5 / Math.min(halfY, q);
    // How far a row's flat top reaches, and which pixels are in it.
    let flat = Math.abs(q - halfX);
    const inner = (q - halfX) * (q - halfX);
    let first = Math.max(Math.ceil(x - reachX), tile.left) | 0;
    let last = Math.min(Math.floor(x + reachX), tile.right) | 0;
    const bottom = Math.min(Math.floor(y + reachY), tile.bottom) | 0;
    for (let v = Math.max(Math.ceil(y - reachY), tile.top) | 0; v <= bottom; v++) {
      const dy = Math.abs(v - y);
      let top = peak;
      if (disc) {
        const chord = Math.sqrt(Math.max(reachX * reachX - dy * dy, 0));
        first = Math.max(Math.ceil(x - chord), tile.left) | 0;
        last = Math.min(Math.floor(x + chord), tile.right) | 0;
        flat = polygon ? 0 : Math.sqrt(Math.max(inner - dy * dy, 0));
      } else {
        top = Math.min((reachY - dy) * slopeY, 1) * peak;
      }
      let p = CHANNELS * ((v - tile.top) * TILE + first - tile.left);
      for (let u = first; u <= last; u++, p += CHANNELS) {
        const before = film[p + ROOM];
        if (before === 0) continue;
        const dx = Math.abs(u - x);
        let weight = top;
        if (dx >= flat) {
          let away = dx;
          if (polygon) away = radiusOf(edges, dx, (v - y) * turn);
          else if (disc) away = Math.sqrt(dx * dx + dy * dy);
          weight *= Math.min((reachX - away) * slopeX, 1);
          if (!(weight > 0)) continue;
        }
        const share = before - weight < CRUMB ? before : weight;
        const left = before - share;
        film[p + RED] = film[p + RED] + share * red;
        film[p + GREEN] = film[p + GREEN] + share * green;
        film[p + BLUE] = film[p + BLUE] + share * blue;
        film[p + ROOM] = left;
        if (before > UNDRAWN && left <= UNDRAWN) depth[v * width + u] = distance;
      }
    }
  }
}

/** The radius, of its corners, of the aperture's outline through a place. */
function radiusOf(edges: Float64Array, x: number, y: number): number {
  let away = 0;
  for (let k = 0; k < edges.length; k += 2) {
    away = Math.max(away, x * edges[k] + y * edges[k + 1]);
  }
  return away;
}

/**
 * The right half of a polygon's edges, a corner up: the x and y of their normals, such that the product with a corner's place is
 * the corners' radius.
 */
function edgesOf(blades: number): Float64Array {
  if (blades < 5) return new Float64Array(0);
  const half = Math.PI / blades;
  const scale = 1 / Math.cos(half);
  return Float64Array.from({ length: 2 * ((blades + 1) >> 1) }, (_, k) => {
    const angle = (2 * (k >> 1) + 1) * half;
    return (k % 2 === 0 ? Math.sin(angle) : -Math.cos(angle)) * scale;
  });
}

/** Divides the light by the cover and lays it over the background. */
function develop(film: Float32Array, tile: Tile, { background, opaque }: Film, { rgba, width }: CpuPicture): void {
  const [red, green, blue] = background;
  for (let v = tile.top; v <= tile.bottom; v++) {
    let p = CHANNELS * (v - tile.top) * TILE;
    for (let u = tile.left; u <= tile.right; u++, p += CHANNELS) {
      const cover = 1 - film[p + ROOM];
      const shown = Math.min(cover / opaque, 1);
      const gain = cover > 0 ? shown / cover : 0;
      const rest = 1 - shown;
      const at = 4 * (v * width + u);
      rgba[at] = encoded(film[p + RED] * gain + red * rest);
      rgba[at + 1] = encoded(film[p + GREEN] * gain + green * rest);
      rgba[at + 2] = encoded(film[p + BLUE] * gain + blue * rest);
      rgba[at + 3] = 255;
    }
  }
}

const encoded = (light: number) => ENCODED[(light * 65535 + 0.5) | 0];

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));
/** Linear light in 65535ths to 8 bits: off by at most 0.03 of a step before rounding. */
const ENCODED = Uint8Array.from({ length: 65537 }, (_, c) => Math.round(toEncoded(Math.min(c / 65535, 1)) * 255));
