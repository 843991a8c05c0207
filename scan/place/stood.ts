import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";

/** About how many pixels are compared. */
const COMPARED = 4000;
/** A pixel changed if its depth differs by this share of the depth; the picture changed if this share of its pixels did. */
const EDGE = 0.03;
const CHANGED = 1 / 3;

/** Notices that the picture changes while the camera stands, as where a thing turns before it. */
export class Stood {
  /** How many frames showed another picture than the first one of the time in which the camera stood. */
  frames = 0;
  /** Depths at the beginning of that time; `undefined` where the camera moves. */
  #began: Float32Array | undefined;

  /** All that this object knows, as plain values, from which another one can be made. */
  get state() {
    return { frames: this.frames, began: this.#began };
  }

  set state({ frames, began }) {
    this.frames = frames;
    this.#began = began;
  }

  add({ depth: { data } }: Pick<Fusable, "depth">, { state, recorded }: Pick<CameraPose, "state" | "recorded">): void {
    if (recorded || state !== POSE_STATE.still) {
      this.#began = undefined;
      return;
    }
    const step = Math.max(1, Math.floor(data.length / COMPARED));
    const began = this.#began;
    if (!began) {
      this.#began = Float32Array.from({ length: Math.ceil(data.length / step) }, (_, i) => data[i * step]);
      return;
    }
    let [both, changed] = [0, 0];
    for (const [i, before] of began.entries()) {
      const now = data[i * step];
      if (before === 0 || now === 0) continue;
      both++;
      if (Math.abs(now - before) > EDGE * before) changed++;
    }
    if (changed > CHANGED * both) this.frames++;
  }
}
