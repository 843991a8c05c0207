import type { ColorArray } from "../../core/frame.ts";

/** The mean of more pictures is hardly better. */
const MOST_FRAMES = 60;

/** What a `MeanPicture` has taken, as plain data for another thread. */
export interface Pictured {
  sum: Float32Array;
  counts: Uint8Array;
  frames: number;
}

/** Takes pictures of a camera that stands, and gives their grey mean. */
export class MeanPicture {
  constructor(readonly taken: Pictured = { sum: new Float32Array(0), counts: new Uint8Array(0), frames: 0 }) {}

  add({ data }: ColorArray): void {
    const { taken } = this;
    if (taken.frames === MOST_FRAMES) return;
    if (taken.frames === 0)
      [taken.sum, taken.counts] = [new Float32Array(data.length / 4), new Uint8Array(data.length / 4)];
    const { sum, counts } = taken;
    if (data.length !== 4 * sum.length) return;
    taken.frames++;
    for (let i = 0, at = 0; i < sum.length; i++, at += 4) {
      // Colour that was registered to depth has holes.
      if (data[at + 3] === 0) continue;
      sum[i] += 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
      counts[i]++;
    }
  }

  /** 0 to 255; `undefined` before the first picture. */
  get grey(): Float32Array | undefined {
    const { sum, counts, frames } = this.taken;
    return frames === 0 ? undefined : sum.map((value, i) => value / Math.max(1, counts[i]));
  }
}
