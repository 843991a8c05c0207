/** `slice` of ../slice.ts, two pixels at a time, in the lanes of a vector of f64, if both lie between the same cells. */

/**
 * `depth` and `filtered` are u16; `positionOf` as `DepthAxis` has it; `blurred` has pairs of f32, of which a column takes `across` bytes
 * and a row `down`. One pixel past the last one is read and written as well.
 */
export function slice(
  depth: usize,
  filtered: usize,
  width: i32,
  height: i32,
  positionOf: usize,
  blurred: usize,
  across: usize,
  down: usize,
  space: i32,
): void {
  const inverse = f64x2.splat(1 / <f64>space);
  for (let y = 0; y < height; y++) {
    // From the centre of the row of columns before the first.
    const v = <f64>(2 * y + 1 + space) / <f64>(2 * space);
    const fy = f64x2.splat(v - floor(v));
    let base = blurred + <usize>v * down;
    let left = -(space >> 1);
    let x = 0;
    while (x < width) {
      const right = min(left + space, width);
      let fx = f64x2.add(f64x2.splat(<f64>(x - left)), f64x2(0.5, 1.5));
      let held = -1;
      // a + x·b + z·(c + x·d) of sums and of weights, where z is in 1/65536 of a cell.
      let a = i64x2.splat(0);
      let b = a;
      let c = a;
      let d = a;
      let weightA = a;
      let weightB = a;
      let weightC = a;
      let weightD = a;
      while (x < right) {
        const pixel = load<u16>(depth);
        const position = load<i32>(positionOf + ((<usize>pixel) << 2));
        let both = false;
        if (position < 0) {
          store<u16>(filtered, pixel);
        } else {
          const p = position >>> 16;
          if (p !== held) {
            held = p;
            const at = base + ((<usize>p) << 3);
            const a2 = between(at, down, fy);
            const b2 = f64x2.sub(between(at + across, down, fy), a2);
            let c2 = between(at + 8, down, fy);
            let d2 = between(at + across + 8, down, fy);
            c2 = f64x2.sub(c2, a2);
            d2 = f64x2.sub(f64x2.sub(f64x2.sub(d2, a2), b2), c2);
            c2 = f64x2.mul(c2, f64x2.splat(1 / 65536));
            d2 = f64x2.mul(d2, f64x2.splat(1 / 65536));
            weightA = v128.shuffle<u64>(a2, a2, 1, 1);
            weightB = v128.shuffle<u64>(b2, b2, 1, 1);
            weightC = v128.shuffle<u64>(c2, c2, 1, 1);
            weightD = v128.shuffle<u64>(d2, d2, 1, 1);
            a = v128.shuffle<u64>(a2, a2, 0, 0);
            b = v128.shuffle<u64>(b2, b2, 0, 0);
            c = v128.shuffle<u64>(c2, c2, 0, 0);
            d = v128.shuffle<u64>(d2, d2, 0, 0);
          }
          const next = load<i32>(positionOf + ((<usize>load<u16>(depth, 2)) << 2));
          both = next >> 16 === held && x + 1 < right;
          const tx = f64x2.mul(fx, inverse);
          const positions = i32x4.replace_lane(i32x4.splat(position), 1, next);
          const tz = f64x2.convert_low_i32x4_s(v128.and(positions, i32x4(0xffff, 0xffff, 0, 0)));
          const sum = at(a, b, c, d, tx, tz);
          const weight = at(weightA, weightB, weightC, weightD, tx, tz);
          const rounded = i32x4.trunc_sat_f64x2_s_zero(f64x2.add(f64x2.splat(0.5), f64x2.div(sum, weight)));
          const mean = i16x8.narrow_i32x4_u(i32x4.max_s(i32x4.splat(1), rounded), i32x4.splat(0));
          // If the second pixel lies between other cells, its value here is wrong, and the next round overwrites it.
          v128.store_lane<u32>(filtered, mean, 0);
        }
        const step = both ? 2 : 1;
        fx = f64x2.add(fx, f64x2.splat(<f64>step));
        depth += step << 1;
        filtered += step << 1;
        x += step;
      }
      base += across;
      left += space;
    }
  }
}

/** A pair of sum and weight between two rows. */
function between(at: usize, down: usize, fy: v128): v128 {
  const above = f64x2.promote_low_f32x4(v128.load_zero<u64>(at));
  const below = f64x2.promote_low_f32x4(v128.load_zero<u64>(at + down));
  return f64x2.add(above, f64x2.mul(fy, f64x2.sub(below, above)));
}

function at(a: v128, b: v128, c: v128, d: v128, tx: v128, tz: v128): v128 {
  const near = f64x2.add(a, f64x2.mul(tx, b));
  return f64x2.add(near, f64x2.mul(tz, f64x2.add(c, f64x2.mul(tx, d))));
}
