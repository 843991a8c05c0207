import { SourceError } from "../../../../core/source.ts";
import { MAX_NAMES } from "../../../files/files.ts";
import { numbersIn } from "./array.ts";

/** An array of numbers as rows of at most 16: its images, or all of it in one row. Throws a `SourceError` for any other array. */
export function rowsIn(bytes: Uint8Array, where: string): number[][] {
  const { axes, at } = numbersIn(bytes) ?? { axes: [0], at: () => 0 };
  const all = axes.reduce((product, axis) => product * axis, 1);
  const wide = all <= 16 ? all : all / axes[0];
  if (!(wide >= 1 && wide <= 16) || all / wide > MAX_NAMES)
    throw new SourceError(`${where}: it is no NumPy array of a few numbers a frame, or it is damaged`);
  return Array.from({ length: all / wide }, (_, row) => Array.from({ length: wide }, (_, i) => at(row * wide + i)));
}
