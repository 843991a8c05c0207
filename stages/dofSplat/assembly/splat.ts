/** The splats of patches, four side by side: `splatOf` of the twin's patch.ts and what `project` writes, with their names. */
import {
  abs,
  add,
  all,
  choose,
  div,
  highHalves,
  less,
  lowHalves,
  more,
  mul,
  neg,
  sqrt,
  sub,
  turned,
  whole,
  zipHigh,
  zipLow,
} from "../../core/assembly/vectors.ts";
import * as layout from "../layout.ts";
import { FourPatches, FourRuns } from "./moves.ts";
import { linear } from "./runs.ts";

/** Bytes of a splat and of its mark, which has the tiles that it touches and its key, the bits of its distance. */
const SPLAT: usize = 4 * layout.FIELDS;
const MARK: usize = 8;

/**
 * Writes a splat and a mark for each of `count` patches that touches the picture, and returns how many it wrote. `tables` begins with the
 * light of each sRGB byte.
 */
export function splatOf(places: usize, count: i32, camera: usize, tables: usize, splats: usize, marks: usize): i32 {
  const apertureArea = v128.load_splat<f32>(camera, 4 * layout.APERTURE_AREA);
  const blur = v128.load_splat<f32>(camera, 4 * layout.BLUR);
  const inverseFocus = v128.load_splat<f32>(camera, 4 * layout.INVERSE_FOCUS);
  const lastColumn = v128.load_splat<f32>(camera, 4 * layout.LAST_COLUMN);
  const lastRow = v128.load_splat<f32>(camera, 4 * layout.LAST_ROW);
  const maxReach = v128.load_splat<f32>(camera, 4 * layout.MAX_REACH);
  let visible = 0;
  if (count <= 0) return visible;
  do {
    const four = changetype<FourPatches>(places);
    const x = four.x;
    const y = four.y;
    const axisX = four.axisX;
    const axisY = four.axisY;
    const along = four.along;
    const across = four.across;
    const least = more(sqrt(mul(all(0.125), add(mul(along, along), mul(across, across)))), all(0.5));
    const w = less(least, mul(all(0.5), maxReach));
    const inverse = div(all(1), four.distance);
    const radius = mul(blur, abs(sub(inverseFocus, inverse)));
    const r = less(radius, sub(sub(maxReach, w), all(0.5)));
    const disc = v128.or(f32x4.gt(four.members, all(1)), f32x4.gt(r, add(mul(all(3), w), all(0.5))));
    const q = add(all(0.5), mul(all(layout.BOX), r));
    const softAlong = more(div(q, along), all(0.5));
    const softAcross = more(div(q, across), all(0.5));
    let reachAlong = add(softAlong, all(0.5));
    let reachAcross = add(softAcross, all(0.5));
    const farX = mul(reachAlong, along);
    const farY = mul(reachAcross, across);
    const boxX = add(mul(abs(axisX), farX), mul(abs(axisY), farY));
    const boxY = add(mul(abs(axisY), farX), mul(abs(axisX), farY));
    // A splat that would reach too far is drawn smaller.
    const far = more(boxX, boxY);
    let fit = all(1);
    if (v128.any_true(f32x4.gt(far, maxReach))) fit = less(div(maxReach, far), fit);
    // The axis is turned so that it points to the right, since a negative x marks a disc.
    const turn = v128.or(all(1), v128.and(f32x4.lt(axisX, all(0)), i32x4.splat(i32.MIN_VALUE)));
    const perAlong = div(turn, mul(along, fit));
    const perAcross = div(turn, mul(across, fit));
    let alongX = mul(axisX, perAlong);
    const alongY = mul(axisY, perAlong);
    const acrossX = neg(mul(axisY, perAcross));
    const acrossY = mul(axisX, perAcross);
    let peak = div(all(0.25), mul(softAlong, softAcross));
    let reachX = mul(boxX, fit);
    let reachY = mul(boxY, fit);
    if (v128.any_true(disc)) {
      const q = sqrt(add(mul(r, r), all(0.25)));
      const spread = mul(apertureArea, add(mul(q, q), mul(mul(w, w), all(1.0 / 3.0))));
      const reach = add(w, q);
      peak = choose(disc, less(div(four.area, spread), all(1)), peak);
      reachAlong = choose(disc, reach, reachAlong);
      // The lens turns the aperture's image upside down.
      reachAcross = choose(disc, choose(f32x4.gt(inverseFocus, inverse), all(1), all(-1)), reachAcross);
      alongX = choose(disc, div(all(-0.5), less(w, q)), alongX);
      reachX = choose(disc, reach, reachX);
      reachY = choose(disc, reach, reachY);
    }
    const left = f32x4.ceil(sub(x, reachX));
    const top = f32x4.ceil(sub(y, reachY));
    const right = f32x4.floor(add(x, reachX));
    const bottom = f32x4.floor(add(y, reachY));
    const isThere = v128.and(
      f32x4.ge(four.distance, all(layout.NEAR)),
      i32x4.gt_s(i32x4.splat(count), i32x4(0, 1, 2, 3)),
    );
    const isInside = v128.and(within(left, right, lastColumn), within(top, bottom, lastRow));
    const lanes: u32 = i32x4.bitmask(v128.and(isInside, isThere));
    const x0 = whole(more(left, all(0)));
    const y0 = whole(more(top, all(0)));
    const x1 = whole(less(right, lastColumn));
    const y1 = whole(less(bottom, lastRow));
    const tiles = v128.or(tileOf(x0, y0), i32x4.shl(tileOf(x1, y1), 16));
    const first = v128.or(x0, i32x4.shl(y0, 16));
    const last = v128.or(x1, i32x4.shl(y1, 16));
    const seen = storeSplats(
      four,
      reachAlong,
      reachAcross,
      alongX,
      alongY,
      acrossX,
      acrossY,
      peak,
      first,
      last,
      tiles,
      lanes,
      tables,
      splats,
      marks,
    );
    visible += seen;
    splats += seen * SPLAT;
    marks += seen * MARK;
    places += offsetof<FourRuns>();
    count -= 4;
  } while (count > 0);
  return visible;
}

/**
 * Transposes vectors of four splats to splats of four vectors, and stores those of `lanes` with their marks; the light of each is looked
 * up as it is stored. Returns the number of splats stored.
 */
function storeSplats(
  four: FourPatches,
  reachAlong: v128,
  reachAcross: v128,
  alongX: v128,
  alongY: v128,
  acrossX: v128,
  acrossY: v128,
  peak: v128,
  first: v128,
  last: v128,
  tiles: v128,
  lanes: u32,
  tables: usize,
  splats: usize,
  marks: usize,
): i32 {
  const place0 = zipLow(four.x, four.y);
  const place1 = zipHigh(four.x, four.y);
  const reach0 = zipLow(reachAlong, reachAcross);
  const reach1 = zipHigh(reachAlong, reachAcross);
  const along0 = zipLow(alongX, alongY);
  const along1 = zipHigh(alongX, alongY);
  const across0 = zipLow(acrossX, acrossY);
  const across1 = zipHigh(acrossX, acrossY);
  const distance = less(four.distance, all(layout.FAR));
  const start0 = zipLow(distance, first);
  const start1 = zipHigh(distance, first);
  // The last word of a splat is not used: it may hold anything.
  const last0 = zipLow(last, last);
  const last1 = zipHigh(last, last);
  let a0 = lowHalves(place0, reach0);
  let a1 = highHalves(place0, reach0);
  let a2 = lowHalves(place1, reach1);
  const a3 = highHalves(place1, reach1);
  let b0 = lowHalves(along0, across0);
  let b1 = highHalves(along0, across0);
  let b2 = lowHalves(along1, across1);
  const b3 = highHalves(along1, across1);
  let c0 = lowHalves(start0, last0);
  let c1 = highHalves(start0, last0);
  let c2 = lowHalves(start1, last1);
  const c3 = highHalves(start1, last1);
  let colour = four.colour;
  // The splat that is stored takes its peak from the last lane.
  peak = turned(peak);
  let seen = 0;
  if (lanes === 0) return seen;
  do {
    v128.store(splats, a0, 4 * layout.X);
    v128.store(splats, b0, 4 * layout.ALONG_X);
    v128.store(splats, linear(tables, i32x4.extract_lane(colour, 0), peak), 4 * layout.RED);
    v128.store(splats, c0, 4 * layout.DISTANCE);
    store<i32>(marks, i32x4.extract_lane(tiles, 0));
    store<i32>(marks, i32x4.extract_lane(c0, 0), 4);
    // A splat that is not seen is overwritten by the next.
    const isSeen = lanes & 1;
    seen += isSeen;
    splats += isSeen * SPLAT;
    marks += isSeen * MARK;
    a0 = a1;
    a1 = a2;
    a2 = a3;
    b0 = b1;
    b1 = b2;
    b2 = b3;
    c0 = c1;
    c1 = c2;
    c2 = c3;
    tiles = turned(tiles);
    colour = turned(colour);
    peak = turned(peak);
    lanes >>= 1;
  } while (lanes !== 0);
  return seen;
}

/** The column and the row of the tile that a pixel is in. */
function tileOf(x: v128, y: v128): v128 {
  return v128.or(i32x4.shr_s(x, layout.CPU_TILE_BITS), i32x4.shl(i32x4.shr_s(y, layout.CPU_TILE_BITS), 8));
}

/** Whether some of the pixels from `first` to `last` are among those from 0 to `end`. Written so that NaN fails. */
function within(first: v128, last: v128, end: v128): v128 {
  return v128.and(f32x4.le(first, end), v128.and(f32x4.ge(last, all(0)), f32x4.le(first, last)));
}
