import type { Intrinsics } from "../../../core/frame.ts";
import type { Size } from "../../../core/view.ts";
import { type FormatLens, scaledLens } from "../../format/depthFormat.ts";
import { lensesIn } from "./lens.ts";
import type { Notes } from "./notes.ts";
import type { Said } from "./parse.ts";
import { entriesFor } from "./poses.ts";

/** The lens of each frame; `undefined` where the frame has the recording's lens. */
export type LensOf = (index: number, size: Size) => Promise<Intrinsics | undefined>;

/**
 * The lenses of frames that have texts, or entries in a JSON, of their own. Depth's `lens` is from the first of these, which is called
 * `from` or lies in it. If a text has several lenses, the lens counts that stands where depth's lens stands in the first text.
 */
export async function ownLenses(
  { series, singles, read }: Notes,
  depth: readonly string[],
  from: string | undefined,
  lens: FormatLens | undefined,
): Promise<LensOf | undefined> {
  if (!lens || from === undefined) return undefined;
  const partners = series.find(({ name }) => name === from)?.partners;
  const single = singles.find(({ name }) => name === from);
  const entryOf =
    single && entriesFor(single.said.value, depth, (first) => lensesIn({ value: first }, from).length > 0);
  const saidOf = async (index: number): Promise<Said | undefined> =>
    partners ? read(partners[index]) : entryOf && { value: entryOf(index) };
  const first = await saidOf(partners?.findIndex((one) => one !== undefined) ?? 0);
  const place = first
    ? lensesIn(first, from).findIndex(({ lens: one }) => one.fx === lens.fx && one.cx === lens.cx && one.cy === lens.cy)
    : -1;
  if (place < 0) return undefined;
  return async (index, { width, height }) => {
    const said = await saidOf(index);
    const own = said && lensesIn(said, from)[place]?.lens;
    return own && scaledLens({ ...own, width: lens.width ?? width, height: lens.height ?? height }, width, height);
  };
}
