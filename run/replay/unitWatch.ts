import type { DepthFrame } from "../../core/frame.ts";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { unitText } from "../../sources/format/format.ts";

/** Thrown where a frame's depths do not fit into the unit of the filtered frames before it. */
export class Outgrown extends Error {
  constructor(readonly frame: DepthFrame) {
    super(`frame ${frame.index} reaches farther than filtered depth so far`);
  }
}

/**
 * Calls `attempt` with the frame whose range decides the unit of filtered depth. If a frame outgrows that unit (`Outgrown`), all begins
 * again in the unit that suits this frame, since all results of a recording have one unit.
 */
export async function inOneUnit<T>(
  first: DepthFrame | undefined,
  attempt: (unitFrom: DepthFrame | undefined, isAgain: boolean) => Promise<T>,
): Promise<T> {
  for (let unitFrom = first; ; ) {
    try {
      return await attempt(unitFrom, unitFrom !== first);
    } catch (error) {
      if (!(error instanceof Outgrown)) throw error;
      unitFrom = error.frame;
    }
  }
}

type Seen = Pick<ProcessedFrame, "index" | "shape" | "source">;

/** Watches the unit of filtered depth, which becomes coarser where a frame reaches farther than the unit of the first frame does. */
export class UnitWatch {
  /** The units of the first frame, filtered and as it came. The frame itself would be held through the whole run. */
  #first: { readonly filtered: number; readonly came: number } | undefined;
  #now = 0;
  /** The first frame that reached too far, as it came. */
  outgrown: DepthFrame | undefined;

  constructor(readonly warn: (line: string) => void) {}

  /** The unit of the first frame's filtered depth; `undefined` before that. */
  get metresPerUnit(): number | undefined {
    return this.#first?.filtered;
  }

  /** Call it for each frame that the stages have processed. */
  ran({ index, shape, source }: Seen): void {
    this.#first ??= { filtered: shape.metresPerUnit, came: source.metresPerUnit };
    const before = this.#now || shape.metresPerUnit;
    this.#now = shape.metresPerUnit;
    if (source.metresPerUnit !== this.#first.came || this.#now <= before) return;
    this.outgrown ??= source;
    const reach = (65535 * before).toFixed(1);
    this.warn(
      `frame ${index} reaches farther than ${reach} m, which is the reach of units of ${unitText(before)}: ` +
        `from there on filtered depth is in units of ${unitText(this.#now)}`,
    );
  }
}
