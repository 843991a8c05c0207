/**
 * The masked median 5×5 as shaders/median/size5.wgsl and size5.ts compute it (there is the method), eight pixels at a time.
 *
 *   rows y−2 … y+2 ──► sorted columns: five values, parity ──► columns x−1, x merged: ten values, parity ──► an outer column
 *                      (a plane of scratch each)                (a plane each)                               and two pairs
 *
 * Rows lie `stride` bytes apart, a multiple of 16; two rows of zeros stand before the first and after the last. A plane of scratch is
 * `MARGIN` bytes, a row, `MARGIN` bytes, where the caller has written what a column outside the image is: 0, 0, 0, 65535, 65535, 65535. A
 * lane of a mask is all ones or all zeros. If two lists each hold an odd number of zeros, one more zero of the second turns into 65535,
 * which shifts its values by one place.
 */
import { MARGIN, SIZE5_COLUMN } from "../layout.ts";
import { storeMedians } from "./thin.ts";

export function median(source: usize, sink: usize, scratch: usize, stride: usize, height: i32): void {
  const pairs = scratch + (stride + 2 * MARGIN) * SIZE5_COLUMN;
  for (let y = 0; y < height; y++) {
    sortColumns(source, stride, scratch);
    mergeColumns(scratch, pairs, stride);
    medians(source, sink, stride, scratch, pairs);
    source += stride;
    sink += stride;
  }
}

/** Sorts the columns of the rows around `row` into scratch. A hole that makes the number of zeros even turns into 65535. */
function sortColumns(row: usize, stride: usize, scratch: usize): void {
  const zero = i64x2.splat(0);
  const plane = stride + 2 * MARGIN;
  let x: usize = 0;
  do {
    const at = row + x;
    const v0 = v128.load(at - 2 * stride);
    let v1 = v128.load(at - stride);
    let v2 = v128.load(at);
    let v3 = v128.load(at + stride);
    let v4 = v128.load(at + 2 * stride);
    let parity = i16x8.eq(v0, zero);
    let hole = i16x8.eq(v1, zero);
    v1 = v128.or(v1, v128.and(parity, hole));
    parity = v128.xor(parity, hole);
    hole = i16x8.eq(v2, zero);
    v2 = v128.or(v2, v128.and(parity, hole));
    parity = v128.xor(parity, hole);
    hole = i16x8.eq(v3, zero);
    v3 = v128.or(v3, v128.and(parity, hole));
    parity = v128.xor(parity, hole);
    hole = i16x8.eq(v4, zero);
    v4 = v128.or(v4, v128.and(parity, hole));
    parity = v128.xor(parity, hole);
    // Sorts four values, a b c d, then inserts the fifth.
    const low0 = i16x8.min_u(v0, v1);
    const high0 = i16x8.max_u(v0, v1);
    const low1 = i16x8.min_u(v2, v3);
    const high1 = i16x8.max_u(v2, v3);
    const e = i16x8.max_u(low0, low1);
    const f = i16x8.min_u(high0, high1);
    const a = i16x8.min_u(low0, low1);
    const b = i16x8.min_u(e, f);
    const c = i16x8.max_u(e, f);
    const d = i16x8.max_u(high0, high1);
    const afterA = i16x8.max_u(a, v4);
    const afterB = i16x8.max_u(b, afterA);
    const afterC = i16x8.max_u(c, afterB);
    const slot = scratch + MARGIN + x;
    v128.store(slot, i16x8.min_u(a, v4));
    v128.store(slot + plane, i16x8.min_u(b, afterA));
    v128.store(slot + 2 * plane, i16x8.min_u(c, afterB));
    v128.store(slot + 3 * plane, i16x8.min_u(d, afterC));
    v128.store(slot + 4 * plane, i16x8.max_u(d, afterC));
    v128.store(slot + 5 * plane, parity);
    x += 16;
  } while (x < stride);
}

/** Merges columns x − 1 and x of `columns` into `pairs`, one vector further than the row goes. */
function mergeColumns(columns: usize, pairs: usize, stride: usize): void {
  const plane = stride + 2 * MARGIN;
  let x: usize = 0;
  do {
    const at = columns + MARGIN - 2 + x;
    const l0 = v128.load(at);
    const l1 = v128.load(at + plane);
    const l2 = v128.load(at + 2 * plane);
    const l3 = v128.load(at + 3 * plane);
    const l4 = v128.load(at + 4 * plane);
    const leftParity = v128.load(at + 5 * plane);
    const own0 = v128.load(at, 2);
    const own1 = v128.load(at + plane, 2);
    const own2 = v128.load(at + 2 * plane, 2);
    const own3 = v128.load(at + 3 * plane, 2);
    const own4 = v128.load(at + 4 * plane, 2);
    const ownParity = v128.load(at + 5 * plane, 2);
    // The right column, shifted where both hold an odd number of zeros.
    const shift = v128.and(leftParity, ownParity);
    const r0 = v128.bitselect(own1, own0, shift);
    const r1 = v128.bitselect(own2, own1, shift);
    const r2 = v128.bitselect(own3, own2, shift);
    const r3 = v128.bitselect(own4, own3, shift);
    const r4 = v128.or(own4, shift);
    // The even places, of which the first is the least of all, then the odd places.
    const ends0 = i16x8.max_u(l0, r0);
    const ends1 = i16x8.min_u(l4, r4);
    const inner0 = i16x8.min_u(ends0, ends1);
    const inner1 = i16x8.max_u(ends0, ends1);
    const middle0 = i16x8.min_u(l2, r2);
    const middle1 = i16x8.max_u(l2, r2);
    const e1 = i16x8.min_u(middle0, inner0);
    const e2 = i16x8.max_u(middle0, inner0);
    const e3 = i16x8.min_u(middle1, inner1);
    const e4 = i16x8.max_u(middle1, inner1);
    const o0 = i16x8.min_u(l1, r1);
    const between0 = i16x8.max_u(l1, r1);
    const between1 = i16x8.min_u(l3, r3);
    const o3 = i16x8.max_u(l3, r3);
    const o1 = i16x8.min_u(between0, between1);
    const o2 = i16x8.max_u(between0, between1);
    const slot = pairs + x;
    v128.store(slot, i16x8.min_u(l0, r0));
    v128.store(slot + plane, i16x8.min_u(o0, e1));
    v128.store(slot + 2 * plane, i16x8.max_u(o0, e1));
    v128.store(slot + 3 * plane, i16x8.min_u(o1, e2));
    v128.store(slot + 4 * plane, i16x8.max_u(o1, e2));
    v128.store(slot + 5 * plane, i16x8.min_u(o2, e3));
    v128.store(slot + 6 * plane, i16x8.max_u(o2, e3));
    v128.store(slot + 7 * plane, i16x8.min_u(o3, e4));
    v128.store(slot + 8 * plane, i16x8.max_u(o3, e4));
    v128.store(slot + 9 * plane, i16x8.max_u(l4, r4));
    v128.store(slot + 10 * plane, v128.xor(leftParity, ownParity));
    x += 16;
  } while (x <= stride);
}

/** Writes one row of medians: the middle six of two pairs, then the outer column. Invalid centres stay 0. */
function medians(row: usize, sink: usize, stride: usize, columns: usize, pairs: usize): void {
  const plane = stride + 2 * MARGIN;
  let x: usize = 0;
  do {
    const at = pairs + x;
    const pParity = v128.load(at + 10 * plane);
    const qParity = v128.load(at + 10 * plane, 4);
    // Merges p with the shifted q; even places and odd places separately.
    const shift = v128.and(pParity, qParity);
    const q0 = v128.load(at, 4);
    const q1 = v128.load(at + plane, 4);
    const even0 = i16x8.max_u(v128.load(at), v128.bitselect(q1, q0, shift));
    const q2 = v128.load(at + 2 * plane, 4);
    const odd0 = i16x8.max_u(v128.load(at + plane), v128.bitselect(q2, q1, shift));
    const q3 = v128.load(at + 3 * plane, 4);
    const even1 = i16x8.max_u(v128.load(at + 2 * plane), v128.bitselect(q3, q2, shift));
    const q4 = v128.load(at + 4 * plane, 4);
    const odd1 = i16x8.max_u(v128.load(at + 3 * plane), v128.bitselect(q4, q3, shift));
    const q5 = v128.load(at + 5 * plane, 4);
    const p4 = v128.load(at + 4 * plane);
    const shifted4 = v128.bitselect(q5, q4, shift);
    const low4 = i16x8.min_u(p4, shifted4);
    const high4 = i16x8.max_u(p4, shifted4);
    const q6 = v128.load(at + 6 * plane, 4);
    const p5 = v128.load(at + 5 * plane);
    const shifted5 = v128.bitselect(q6, q5, shift);
    const low5 = i16x8.min_u(p5, shifted5);
    const high5 = i16x8.max_u(p5, shifted5);
    const q7 = v128.load(at + 7 * plane, 4);
    const even2 = i16x8.min_u(v128.load(at + 6 * plane), v128.bitselect(q7, q6, shift));
    const q8 = v128.load(at + 8 * plane, 4);
    const odd2 = i16x8.min_u(v128.load(at + 7 * plane), v128.bitselect(q8, q7, shift));
    const q9 = v128.load(at + 9 * plane, 4);
    const even3 = i16x8.min_u(v128.load(at + 8 * plane), v128.bitselect(q9, q8, shift));
    const odd3 = i16x8.min_u(v128.load(at + 9 * plane), v128.or(q9, shift));
    // Middle of the even places: ranks 4, 5, 6 of ten. Ranks 3, 4, 5 of the odd places.
    const e4 = i16x8.max_u(i16x8.min_u(even1, even2), i16x8.max_u(low4, i16x8.min_u(even0, even3)));
    let c = i16x8.max_u(even1, even2);
    let d = i16x8.min_u(high4, i16x8.max_u(even0, even3));
    const e5 = i16x8.min_u(c, d);
    const e6 = i16x8.max_u(c, d);
    c = i16x8.min_u(odd1, odd2);
    d = i16x8.max_u(low5, i16x8.min_u(odd0, odd3));
    const o3 = i16x8.min_u(c, d);
    const o4 = i16x8.max_u(c, d);
    const o5 = i16x8.min_u(i16x8.max_u(odd1, odd2), i16x8.min_u(high5, i16x8.max_u(odd0, odd3)));
    const s5 = i16x8.max_u(o5, e6);
    const s4 = i16x8.min_u(o5, e6);
    const s3 = i16x8.max_u(o4, e5);
    const s2 = i16x8.min_u(o4, e5);
    const s1 = i16x8.max_u(o3, e4);
    const s0 = i16x8.min_u(o3, e4);
    // The outer column, x − 2, shifted likewise, and the sorted six: the median is the minimum of the maxima along the diagonal.
    const column = columns + MARGIN - 4 + x;
    const shift2 = v128.and(v128.xor(pParity, qParity), v128.load(column + 5 * plane));
    const outer1 = v128.load(column + plane);
    const outer2 = v128.load(column + 2 * plane);
    const outer3 = v128.load(column + 3 * plane);
    const outer4 = v128.load(column + 4 * plane);
    let low = i16x8.min_u(s5, i16x8.max_u(s4, v128.bitselect(outer1, v128.load(column), shift2)));
    low = i16x8.min_u(low, i16x8.max_u(s3, v128.bitselect(outer2, outer1, shift2)));
    low = i16x8.min_u(low, i16x8.max_u(s2, v128.bitselect(outer3, outer2, shift2)));
    low = i16x8.min_u(low, i16x8.max_u(s1, v128.bitselect(outer4, outer3, shift2)));
    low = i16x8.min_u(low, i16x8.max_u(s0, v128.or(outer4, shift2)));
    const median = v128.andnot(low, i16x8.eq(v128.load(row + x), i64x2.splat(0)));
    storeMedians(sink, median, row, x, stride, false);
    x += 16;
  } while (x < stride);
}
