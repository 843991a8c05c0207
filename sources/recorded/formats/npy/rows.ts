import { numbersIn } from "./array.ts";

/** An array of numbers as rows of at most 16: its images, or all of it in one row. None for any other array. */
export function rowsIn(bytes: Uint8Array): number[][] {
  const { axes, at } = numbersIn(bytes) ?? { axes: [0], at: () => 0 };
  const all = axes.reduce((product, axis) => product * axis, 1);
  const wide = all <= 16 ? all : all / axes[0];
  if (!(wide >= 1 && wide <= 16)) return [];
  return Array.from({ length: all / wide }, (_, row) => Array.from({ length: wide }, (_, i) => at(row * wide + i)));
}
