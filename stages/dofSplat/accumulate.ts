import type { CpuPicture } from "../core/stage.ts";
import { type Film, toEncoded } from "./camera.ts";
import {
  ACROSS,
  ACROSS_X,
  ACROSS_Y,
  ALONG,
  ALONG_X,
  ALONG_Y,
  BLUE,
  CRUMB,
  DISTANCE,
  FIELDS,
  FIRST,
  GREEN,
  LAST,
  LIGHT_STEPS,
  OPAQUE,
  PEAK,
  RED,
  SHARP,
  SLOPE,
  TILE,
  UNDRAWN,
  UNTOUCHED,
  X,
  Y,
} from "./layout.ts";
import type { Splats } from "./project.ts";
import { f, less, more } from "./view.ts";

/** A tile in the making, plane by plane: red, green and blue, linear, times the cover; what is not covered yet; and the distance. */
export const newFilm = () =>
  ["red", "green", "blue", "room", "depth"].map(() => new Float32Array(TILE * TILE)) as unknown as FilmPlanes;
type FilmPlanes = readonly [
  red: Float32Array,
  green: Float32Array,
  blue: Float32Array,
  room: Float32Array,
  depth: Float32Array,
];

/** Pixels of the picture, the ends included. */
export interface Tile {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Empties the film. What is outside of the picture has no room. */
export function clear(film: FilmPlanes, { left, top, right, bottom }: Tile): void {
  for (const plane of film) plane.fill(0);
  for (let v = top; v <= bottom; v++) for (let u = left; u <= right; u++) film[3][(v - top) * TILE + u - left] = 1;
}

/**
 * Lays splats down front to back: each takes its weight of the room left in a pixel, or the rest of it. As its fast form
 * does, it goes by columns of four pixels, whole ones, the last of which end where the splat does: beyond a splat's reach its weight is 0.
 */
export function accumulate(
  { floats, words }: Splats,
  list: Uint32Array,
  edges: Float32Array,
  tile: Tile,
  film: FilmPlanes,
): void {
  const [reds, greens, blues, room, depth] = film;
  for (const splat of list) {
    const o = splat * FIELDS;
    const [x, y, reach, reachAcross] = [floats[o + X], floats[o + Y], floats[o + ALONG], floats[o + ACROSS]];
    const [alongX, alongY] = [floats[o + ALONG_X], floats[o + ALONG_Y]];
    const [acrossX, acrossY] = [floats[o + ACROSS_X], floats[o + ACROSS_Y]];
    const [peak, distance, slope] = [floats[o + PEAK], floats[o + DISTANCE], floats[o + SLOPE]];
    const [red, green, blue] = [floats[o + RED], floats[o + GREEN], floats[o + BLUE]];
    const disc = slope > 0;
    const polygon = disc && edges.length > 0;
    const [from16, to16] = [words[o + FIRST], words[o + LAST]];
    const [first, last] = [more(from16 & 0xffff, tile.left), less(to16 & 0xffff, tile.right)];
    const [top, bottom] = [more(from16 >>> 16, tile.top), less(to16 >>> 16, tile.bottom)];
    const wide = (last - first + 4) & ~3;
    for (let quad = more(last + 1 - wide, tile.left); quad <= last; quad += 4) {
      let [from, to] = [top, bottom];
      if (disc) {
        // The rows that the disc has here, where it is highest.
        const aside = more(more(f(quad - x), f(x - (quad + 3))), 0);
        const chord = f(Math.sqrt(more(f(f(reach * reach) - f(aside * aside)), 0)));
        from = more(Math.ceil(f(y - chord)), top);
        to = less(Math.floor(f(y + chord)), bottom);
      }
      for (let v = from; v <= to; v++) {
        const dy = f(v - y);
        for (let u = quad; u < quad + 4; u++) {
          const p = (v - tile.top) * TILE + u - tile.left;
          const before = room[p];
          if (before === 0) continue;
          const dx = f(u - x);
          let weight = 0;
          if (disc) {
            const away = polygon
              ? radius(edges, Math.abs(dx), peak < 0 ? -dy : dy)
              : f(Math.sqrt(f(f(dx * dx) + f(dy * dy))));
            weight = f(rampOf(f(f(reach - away) * slope)) * Math.abs(peak));
          } else {
            const along = Math.abs(f(f(dx * alongX) + f(dy * alongY)));
            const across = Math.abs(f(f(dx * acrossX) + f(dy * acrossY)));
            weight = f(f(rampOf(f(reach - along)) * peak) * rampOf(f(reachAcross - across)));
          }
          const left = f(before - weight);
          const share = left >= f(CRUMB) ? weight : before;
          room[p] = left >= f(CRUMB) ? left : 0;
          reds[p] = reds[p] + f(share * red);
          greens[p] = greens[p] + f(share * green);
          blues[p] = blues[p] + f(share * blue);
          if (before > (room[p] <= f(UNDRAWN) ? f(UNDRAWN) : more(room[p], f(UNTOUCHED)))) depth[p] = distance;
        }
      }
    }
  }
}

/** From 0 to 1. */
const rampOf = (share: number) => more(0, less(share, 1));

/** The radius, of its corners, of the aperture's outline through a place. */
function radius(edges: Float32Array, x: number, y: number): number {
  let away = 0;
  for (let k = 0; k < edges.length; k += 2) away = more(away, f(f(x * edges[k]) + f(y * edges[k + 1])));
  return away;
}

/**
 * The right half of a polygon's edges, a corner up: the x and y of their normals, such that the product with a corner's place is
 * the corners' radius.
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

/** Divides the light by the cover, lays it over the background, and leaves the distance of what covers enough. */
export function develop(
  [reds, greens, blues, room, distances]: FilmPlanes,
  tile: Tile,
  film: Film,
  { rgba, depth, width }: CpuPicture,
): void {
  const [fill, blur, inverseFocus] = [f(film.fill), f(film.blur), f(film.inverseFocus)];
  const [red, green, blue] = film.background.map(f) as [number, number, number];
  for (let v = tile.top; v <= tile.bottom; v++) {
    for (let u = tile.left; u <= tile.right; u++) {
      const p = (v - tile.top) * TILE + u - tile.left;
      const cover = f(1 - room[p]);
      const soft = less(1, f(blur * Math.abs(f(inverseFocus - f(1 / distances[p])))));
      const opaque = more(f(1 - f(fill * f(f(SHARP) + f(f(1 - f(SHARP)) * soft)))), f(OPAQUE));
      const shown = less(f(cover / f(opaque)), 1);
      const gain = cover > 0 ? f(shown / cover) : 0;
      const rest = f(1 - shown);
      const at = v * width + u;
      rgba[4 * at] = encoded(f(f(reds[p] * gain) + f(red * rest)));
      rgba[4 * at + 1] = encoded(f(f(greens[p] * gain) + f(green * rest)));
      rgba[4 * at + 2] = encoded(f(f(blues[p] * gain) + f(blue * rest)));
      rgba[4 * at + 3] = 255;
      depth[at] = room[p] <= f(UNDRAWN) ? distances[p] : 0;
    }
  }
}

export const encoded = (light: number) => ENCODED[Math.trunc(f(f(less(light, 1) * LIGHT_STEPS) + 0.5))];

/** Linear light in 65535ths to 8 bits: off by at most 0.03 of a step before rounding. */
export const ENCODED = Uint8Array.from({ length: LIGHT_STEPS + 1 }, (_, c) =>
  Math.round(toEncoded(c / LIGHT_STEPS) * 255),
);
