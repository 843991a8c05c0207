import type { CpuPicture } from "../core/stage.ts";
import { type Film, f, less, more } from "./camera.ts";
import {
  ACROSS_X,
  ACROSS_Y,
  ALONG_X,
  ALONG_Y,
  BLUE,
  CPU_TILE,
  CRUMB,
  DISTANCE,
  FIELDS,
  FIRST,
  GREEN,
  LAST,
  OPAQUE,
  PEAK,
  REACH_ACROSS,
  REACH_ALONG,
  RED,
  SHARP,
  UNDRAWN,
  UNTOUCHED,
  X,
  Y,
} from "./layout.ts";
import { encodedPixel } from "./light.ts";
import { splatIn } from "./lists.ts";
import type { Splats } from "./project.ts";

/**
 * The pixels of a tile, plane by plane: red, green and blue, linear, times the coverage; the room left; the distance, m; and the share that
 * the newest splat covers, which stands here because a fraction that a function returns may be garbage. And the aperture's edges.
 */
export function newFilm() {
  const plane = () => new Float32Array(CPU_TILE * CPU_TILE);
  const planes = { red: plane(), green: plane(), blue: plane(), room: plane(), depth: plane(), weight: plane() };
  return { ...planes, edges: edgesOf(0) };
}
type Planes = ReturnType<typeof newFilm>;

/** The first and last column and row of a tile, px. */
export interface Tile {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Empties the film. Pixels beyond the picture's edge are full from the start. */
export function clear(film: Planes, { left, top, right, bottom }: Tile): void {
  for (const plane of [film.red, film.green, film.blue, film.room, film.depth]) plane.fill(0);
  for (let v = top; v <= bottom; v++)
    for (let u = left; u <= right; u++) film.room[(v - top) * CPU_TILE + u - left] = 1;
}

/**
 * Composites a tile's splats front to back: `list` has their codes in order. A splat is kept as the `Node` that the kernel's `nodeOf` makes
 * of it in each tile (layout.ts says why).
 */
export function accumulate({ floats, words }: Splats, list: Float64Array, tile: Tile, film: Planes): void {
  for (let i = 0; i < list.length; i++) {
    const o = splatIn(list[i]) * FIELDS;
    const first = more(words[o + FIRST] & 0xffff, tile.left);
    const last = less(words[o + LAST] & 0xffff, tile.right);
    const top = more(words[o + FIRST] >>> 16, tile.top);
    const bottom = less(words[o + LAST] >>> 16, tile.bottom);
    for (let v = top; v <= bottom; v++)
      for (let u = first; u <= last; u++) add(film, (v - tile.top) * CPU_TILE + u - tile.left, u, v, floats, o);
  }
}

/** Adds a splat to the pixel `p`: the splat takes its weight of the pixel's room, or what is left of the room if that is less. */
function add(film: Planes, p: number, u: number, v: number, node: Float32Array, o: number): void {
  const room = film.room[p];
  if (room === 0) return;
  weights(film, p, u, v, node, o);
  const left = f(room - film.weight[p]);
  const after = left < f(CRUMB) ? 0 : left;
  const share = f(room - after);
  film.red[p] += f(share * node[o + RED]);
  film.green[p] += f(share * node[o + GREEN]);
  film.blue[p] += f(share * node[o + BLUE]);
  // The distance of the first splat, then that of the splat that leaves no more room than UNDRAWN.
  const most = after <= f(UNDRAWN) ? f(UNDRAWN) : more(after, f(UNTOUCHED));
  if (room > most) film.depth[p] = node[o + DISTANCE];
  film.room[p] = after;
}

/** The share of a pixel that a splat covers. The kernel multiplies by the peak in `add`. */
function weights({ weight, edges }: Planes, p: number, u: number, v: number, node: Float32Array, o: number): void {
  const dx = f(u - node[o + X]);
  const dy = f(v - node[o + Y]);
  const peak = node[o + PEAK];
  if (node[o + ALONG_X] < 0) {
    const away = radius(Math.abs(dx), dy, node[o + REACH_ACROSS], edges);
    weight[p] = saturate(f(f(away - node[o + REACH_ALONG]) * node[o + ALONG_X])) * peak;
    return;
  }
  const along = Math.abs(f(f(dx * node[o + ALONG_X]) + f(dy * node[o + ALONG_Y])));
  const across = Math.abs(f(f(dx * node[o + ACROSS_X]) + f(dy * node[o + ACROSS_Y])));
  weight[p] = f(saturate(f(node[o + REACH_ALONG] - along)) * peak) * saturate(f(node[o + REACH_ACROSS] - across));
}

const saturate = (share: number) => more(0, less(share, 1));

/** The radius of the aperture's outline through a place, measured to a corner; one corner points up. */
function radius(x: number, y: number, turn: number, edges: Float32Array): number {
  if (edges.length === 0) return f(Math.sqrt(f(f(x * x) + f(y * y))));
  let most = 0;
  for (let k = 0; k < edges.length; k += 2) most = more(most, f(f(x * edges[k]) + f(y * f(turn * edges[k + 1]))));
  return most;
}

/**
 * The edges in the right half of a polygon, one corner of which points up: the x and y of each edge's normal, so long that its product with
 * a corner of the edge is the corners' radius. A round aperture has none.
 */
export function edgesOf(blades: number): Float32Array {
  if (blades < 5) return new Float32Array(0);
  const half = Math.PI / blades;
  const scale = 1 / Math.cos(half);
  return Float32Array.from({ length: 2 * ((blades + 1) >> 1) }, (_, k) => {
    const angle = (2 * (k >> 1) + 1) * half;
    return (k % 2 === 0 ? Math.sin(angle) : -Math.cos(angle)) * scale;
  });
}

/** Divides the light by the coverage, composites it over the background, and writes the pixels. */
export function develop(
  { red: reds, green: greens, blue: blues, room: rooms, depth: distances }: Planes,
  tile: Tile,
  film: Film,
  { rgba, depth, width }: CpuPicture,
): void {
  const [fill, blur, inverseFocus] = [f(film.fill), f(film.blur), f(film.inverseFocus)];
  const [red, green, blue] = film.background.map(f);
  for (let v = tile.top; v <= tile.bottom; v++) {
    for (let u = tile.left; u <= tile.right; u++) {
      const p = (v - tile.top) * CPU_TILE + u - tile.left;
      const cover = f(1 - rooms[p]);
      const most = more(cover, f(1e-9));
      const distance = distances[p];
      const soft = less(1, f(blur * Math.abs(f(inverseFocus - f(1 / distance)))));
      const opaque = more(f(1 - f(fill * mix(f(SHARP), 1, soft))), f(OPAQUE));
      const shown = less(f(cover / opaque), 1);
      const at = v * width + u;
      rgba[4 * at] = encodedPixel(mix(red, f(reds[p] / most), shown));
      rgba[4 * at + 1] = encodedPixel(mix(green, f(greens[p] / most), shown));
      rgba[4 * at + 2] = encodedPixel(mix(blue, f(blues[p] / most), shown));
      rgba[4 * at + 3] = 255;
      depth[at] = rooms[p] <= f(UNDRAWN) ? distance : 0;
    }
  }
}

const mix = (a: number, b: number, share: number) => f(f(a * f(1 - share)) + f(b * share));
