import { IDENTITY, type Rigid } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import { between, shiftM } from "./way.ts";

/** About how many pixels are compared. */
const COMPARED = 4000;
/** A pixel changed if its depth differs by this share of the depth; the picture changed if this share of its pixels did. */
const EDGE = 0.03;
const CHANGED = 1 / 3;
/**
 * A recording's poses contradict depth where they differ by JUMP_M from one frame to the next, m, or in all by this many times the way that
 * they tell. Poses that map the world to the camera differ by twice that way.
 */
const JUMP_M = 0.15;
const OTHERWISE = 1.4;

/**
 * Notices that the picture changes while the camera stands, as where a thing turns before it, and that a recording's poses contradict what
 * depth shows of the camera's way.
 */
export class Stood {
  /** How many frames showed another picture than the first one of the time in which the camera stood. */
  frames = 0;
  /** Depths at the beginning of that time; `undefined` where the camera moves. */
  #began: Float32Array | undefined;
  /** What the recording's poses tell of the way from frame to frame, m, and by how much depth differs, in all and at most. */
  #told = { wayM: 0, offM: 0, mostM: 0 };
  /** The recording's pose of the frame before. */
  #before: Rigid | undefined;

  /** By how much the recording's poses differ from depth from one frame to the next at most, m; 0 where they do not contradict depth. */
  get astrayM(): number {
    const { wayM, offM, mostM } = this.#told;
    return mostM > JUMP_M || offM > Math.max(JUMP_M, OTHERWISE * wayM) ? mostM : 0;
  }

  /** All that this object knows, as plain values, from which another one can be made. */
  get state() {
    return { frames: this.frames, began: this.#began, told: this.#told, before: this.#before };
  }

  set state({ frames, began, told, before }) {
    [this.frames, this.#began, this.#told, this.#before] = [frames, began, told, before];
  }

  add({ depth: { data } }: Pick<Fusable, "depth">, { state, recorded, held, toWorld, toBefore }: CameraPose): void {
    const told = this.#told;
    if (recorded && this.#before && held === 0) {
      const step = between(this.#before, toWorld);
      const offM = shiftM(step, toBefore);
      told.wayM += shiftM(step, IDENTITY);
      told.offM += offM;
      told.mostM = Math.max(told.mostM, offM);
    }
    this.#before = recorded ? toWorld.slice() : undefined;
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
