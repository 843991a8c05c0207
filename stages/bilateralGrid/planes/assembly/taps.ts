/** Sums of three quads of moments or residuals, 1 2 1, for a blur along x or y. `moment` is the byte offset of one of their vectors. */

export function three(before: usize, middle: usize, after: usize, moment: usize): v128 {
  return f32x4.add(f32x4.add(v128.load(before + moment), v128.load(after + moment)), twice(middle, moment));
}

export function twice(quad: usize, moment: usize): v128 {
  const once = v128.load(quad + moment);
  return f32x4.add(once, once);
}
