/**
 * The splats of a tile, four pixels of a row at a time: the twin's accumulate.ts, with its names; its `add` is `lay`, its `weights` are in
 * `layDisc` and `layPatch`. The film in scratch memory: `CPU_TILE` rows, each of `CPU_TILE` f32 of red, green, blue, room and distance.
 */
import { abs, add, all, choose, less, more, mul, sqrt, sub, whole } from "../../core/assembly/vectors.ts";
import {
  ACROSS_X,
  ACROSS_Y,
  ALONG_X,
  ALONG_Y,
  BLUE,
  CPU_TILE,
  CRUMB,
  DISTANCE,
  FILM_BYTES,
  FILM_ROW,
  FIRST,
  GREEN,
  PEAK,
  REACH_ACROSS,
  REACH_ALONG,
  RED,
  UNDRAWN,
  UNTOUCHED,
  X,
  Y,
} from "../layout.ts";

/** Bytes from the start of a film's row, which is red, to the other planes of that row. */
export const GREENS: usize = 4 * CPU_TILE;
export const BLUES: usize = 8 * CPU_TILE;
export const ROOM: usize = 12 * CPU_TILE;
export const DISTANCES: usize = 16 * CPU_TILE;

/** Bytes of the pairs whose splats are read ahead. */
const AHEAD: usize = 128 * 8;

/** Empties the film. `width` and `height` are the tile's inside of the picture: the other pixels are full from the start. */
export function clear(film: usize, width: i32, height: i32): void {
  const none = i64x2.splat(0);
  for (let row = 0; row < CPU_TILE; row++, film += FILM_ROW) {
    const right = row < height ? width : 0;
    for (let u = 0; u < CPU_TILE; u += 4) {
      const at = film + (u << 2);
      v128.store(at, none);
      v128.store(at, none, GREENS);
      v128.store(at, none, BLUES);
      v128.store(at, v128.and(all(1), i32x4.gt_s(i32x4.splat(right - u), i32x4(0, 1, 2, 3))), ROOM);
      v128.store(at, none, DISTANCES);
    }
  }
}

/**
 * Composites the splats of a list (pairs of address and key) front to back, until every pixel is full. `left` to `bottom` are the first and
 * last column and row of the tile. `edges` are pairs of f32; there are none if the aperture is round.
 */
export function accumulate(
  list: usize,
  listEnd: usize,
  film: usize,
  left: i32,
  top: i32,
  right: i32,
  bottom: i32,
  edges: usize,
  edgesEnd: usize,
): void {
  const least = i32x4.replace_lane(i32x4(left, 0, i32.MIN_VALUE, i32.MIN_VALUE), 1, top);
  const most = i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(i32.MAX_VALUE), 2, right), 3, bottom);
  let open = film;
  let rowEnd = film + 4 * CPU_TILE;
  let warm = list;
  for (; list < listEnd; list += 8) {
    // All pixels before `open` are full, and stay so.
    while (!v128.any_true(v128.load(open, ROOM))) {
      open += 16;
      if (open < rowEnd) continue;
      open += FILM_ROW - 4 * CPU_TILE;
      rowEnd += FILM_ROW;
      if (open >= film + FILM_BYTES) return;
    }
    if (list >= warm) warm = readAhead(list, listEnd);
    const splat = <usize>load<u32>(list);
    const touched = i32x4.min_s(i32x4.max_s(v128.load_ext<u16>(splat, 4 * FIRST), least), most);
    if (load<f32>(splat, 4 * ALONG_X) < 0) layDisc(splat, touched, film, left, top, edges, edgesEnd);
    else layPatch(splat, touched, film, left, top);
  }
}

/** Touches the splats of the next pairs, which lie anywhere in memory, so that their loads overlap. Returns the end of those pairs. */
function readAhead(list: usize, listEnd: usize): usize {
  const end = list + AHEAD < listEnd ? list + AHEAD : listEnd;
  for (; list < end; list += 8) load<u32>(load<u32>(list));
  return list;
}

/** `touched` has the first column and row, then the last column and row of the tile's pixels that the splat may touch. */
function layDisc(splat: usize, touched: v128, film: usize, left: i32, top: i32, edges: usize, edgesEnd: usize): void {
  const x = v128.load_splat<f32>(splat, 4 * X);
  const y = v128.load_splat<f32>(splat, 4 * Y);
  const reach = v128.load_splat<f32>(splat, 4 * REACH_ALONG);
  const turn = v128.load_splat<f32>(splat, 4 * REACH_ACROSS);
  const slope = v128.load_splat<f32>(splat, 4 * ALONG_X);
  const peak = v128.load_splat<f32>(splat, 4 * PEAK);
  const red = v128.load_splat<f32>(splat, 4 * RED);
  const green = v128.load_splat<f32>(splat, 4 * GREEN);
  const blue = v128.load_splat<f32>(splat, 4 * BLUE);
  const distance = v128.load_splat<f32>(splat, 4 * DISTANCE);
  const last = i32x4.extract_lane(touched, 2) - left;
  let quad = firstQuad(touched, last);
  let column = film + (quad << 2) - top * FILM_ROW;
  let u = add(f32x4.splat(<f32>(left + quad)), f32x4(0, 1, 2, 3));
  do {
    // The disc's rows where it is highest in these four columns.
    const rows = rowsOf(splat, f32x4.extract_lane(u, 0), f32x4.extract_lane(u, 3));
    const from = i32x4.extract_lane(i32x4.max_s(rows, touched), 1);
    const end = column + i32x4.extract_lane(i32x4.min_s(rows, touched), 3) * FILM_ROW;
    const dx = abs(sub(u, x));
    let v = f32x4.splat(<f32>from);
    let at = column + from * FILM_ROW;
    // The corner of the box around a disc has no rows.
    if (<i32>at <= <i32>end) {
      do {
        const before = v128.load(at, ROOM);
        if (v128.any_true(before)) {
          const dy = sub(v, y);
          const away =
            edges < edgesEnd ? radius(dx, mul(turn, dy), edges, edgesEnd) : sqrt(add(mul(dx, dx), mul(dy, dy)));
          lay(at, before, mul(saturate(mul(sub(away, reach), slope)), peak), red, green, blue, distance);
        }
        v = add(v, all(1));
        at += FILM_ROW;
      } while (<i32>at <= <i32>end);
    }
    quad += 4;
    column += 16;
    u = add(u, all(4));
  } while (quad <= last);
}

/** The first and the last row, in lanes 1 and 3, that a disc has in the columns from `first` to `last`. */
function rowsOf(splat: usize, first: f32, last: f32): v128 {
  const x = load<f32>(splat, 4 * X);
  const y = load<f32>(splat, 4 * Y);
  const reach = load<f32>(splat, 4 * REACH_ALONG);
  const aside = f32.max(f32.max(first - x, x - last), 0);
  const chord = f32.sqrt(f32.max(reach * reach - aside * aside, 0));
  return whole(f32x4.replace_lane(f32x4.splat(f32.ceil(y - chord)), 3, f32.floor(y + chord)));
}

function layPatch(splat: usize, touched: v128, film: usize, left: i32, top: i32): void {
  const x = v128.load_splat<f32>(splat, 4 * X);
  const y = v128.load_splat<f32>(splat, 4 * Y);
  const reach = v128.load_splat<f32>(splat, 4 * REACH_ALONG);
  const reachAcross = v128.load_splat<f32>(splat, 4 * REACH_ACROSS);
  const alongX = v128.load_splat<f32>(splat, 4 * ALONG_X);
  const alongY = v128.load_splat<f32>(splat, 4 * ALONG_Y);
  const acrossX = v128.load_splat<f32>(splat, 4 * ACROSS_X);
  const acrossY = v128.load_splat<f32>(splat, 4 * ACROSS_Y);
  const peak = v128.load_splat<f32>(splat, 4 * PEAK);
  const red = v128.load_splat<f32>(splat, 4 * RED);
  const green = v128.load_splat<f32>(splat, 4 * GREEN);
  const blue = v128.load_splat<f32>(splat, 4 * BLUE);
  const distance = v128.load_splat<f32>(splat, 4 * DISTANCE);
  const last = i32x4.extract_lane(touched, 2) - left;
  let quad = firstQuad(touched, last);
  let column = film + (quad << 2) - top * FILM_ROW;
  let u = add(f32x4.splat(<f32>(left + quad)), f32x4(0, 1, 2, 3));
  const from = i32x4.extract_lane(touched, 1);
  const to = i32x4.extract_lane(touched, 3);
  do {
    const dx = sub(u, x);
    const dxAlong = mul(dx, alongX);
    const dxAcross = mul(dx, acrossX);
    const end = column + to * FILM_ROW;
    let v = f32x4.splat(<f32>from);
    let at = column + from * FILM_ROW;
    // Full pixels are processed as well: groups of four full pixels are so few that a branch would cost more.
    do {
      const dy = sub(v, y);
      const along = abs(add(dxAlong, mul(dy, alongY)));
      const across = abs(add(dxAcross, mul(dy, acrossY)));
      const weight = mul(mul(saturate(sub(reach, along)), peak), saturate(sub(reachAcross, across)));
      lay(at, v128.load(at, ROOM), weight, red, green, blue, distance);
      v = add(v, all(1));
      at += FILM_ROW;
    } while (<i32>at <= <i32>end);
    quad += 4;
    column += 16;
    u = add(u, all(4));
  } while (quad <= last);
}

/** The first of the columns of four pixels, counted from the tile's left, such that the last of them end where the splat does. */
function firstQuad(touched: v128, last: i32): i32 {
  const wide = (i32x4.extract_lane(touched, 2) + 4 - i32x4.extract_lane(touched, 0)) & ~3;
  return max<i32>(last + 1 - wide, 0);
}

/** Adds a splat to four pixels: it takes its weight of the room in each, or the rest of the room. */
function lay(at: usize, before: v128, weight: v128, red: v128, green: v128, blue: v128, distance: v128): void {
  const left = sub(before, weight);
  const room = v128.and(left, f32x4.ge(left, all(CRUMB)));
  const share = sub(before, room);
  v128.store(at, room, ROOM);
  v128.store(at, add(v128.load(at), mul(share, red)));
  v128.store(at, add(v128.load(at, GREENS), mul(share, green)), GREENS);
  v128.store(at, add(v128.load(at, BLUES), mul(share, blue)), BLUES);
  const most = choose(f32x4.le(room, all(UNDRAWN)), all(UNDRAWN), more(room, all(UNTOUCHED)));
  // Splats come in the order of distance, so the maximum is the newest one.
  v128.store(at, more(v128.load(at, DISTANCES), v128.and(f32x4.gt(before, most), distance)), DISTANCES);
}

/** Clamps to 0 to 1. */
function saturate(share: v128): v128 {
  return more(all(0), less(share, all(1)));
}

/** The radius of the aperture's outline through a place, measured to a corner; one corner points up. */
function radius(x: v128, y: v128, edges: usize, edgesEnd: usize): v128 {
  let away = all(0);
  for (let edge = edges; edge < edgesEnd; edge += 8) {
    away = more(away, add(mul(x, v128.load_splat<f32>(edge)), mul(y, v128.load_splat<f32>(edge, 4))));
  }
  return away;
}
