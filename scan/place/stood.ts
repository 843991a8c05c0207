import { compose, IDENTITY, type Rigid, rigid } from "../../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import { between, shiftM } from "./way.ts";

/** A motion by the recording's poses, and as depth shows it. */
type Span = Readonly<Record<"given" | "shown", Rigid>> | undefined;

/** About how many pixels are compared. */
const COMPARED = 4000;
/** A pixel changed if its depth differs by this share of the depth; the picture changed if this share of its pixels did. */
const EDGE = 0.03;
const CHANGED = 1 / 3;
/**
 * A recording's poses contradict depth where they differ by JUMP_M from one frame to the next, m, or in all by this many times the way that
 * they tell, and by ALL_M, added up over parts of SPAN_M: so the tracker's noise does not count as a way. Poses that map the world to the
 * camera differ by twice that way. A part and a jump have to be SURE times as large as the tracked pose's uncertainty.
 */
const JUMP_M = 0.15;
const OTHERWISE = 1.4;
const ALL_M = 0.1;
const SPAN_M = 0.06;
const SURE = 4;
/** Where the tracker lost the camera, a motion is the recording's own, m. */
const OWN_M = 1e-5;

/**
 * Notices that the picture changes while the camera stands, as where a thing turns before it, and that a recording's poses contradict what
 * depth shows of the camera's way.
 */
export class Stood {
  /** How many frames showed another picture than the first one of the time in which the camera stood. */
  frames = 0;
  /** Depths at the beginning of that time; `undefined` where the camera moves. */
  #began: Float32Array | undefined;
  /** The way that the recording's poses tell while depth shows a way, m, and by how much depth differs, in all and at most. */
  #told = { wayM: 0, offM: 0, mostM: 0 };
  /** The recording's pose of the frame before. */
  #before: Rigid | undefined;
  /** The motion since the begin of a part of the way, by the poses and by depth; `undefined` where the tracker does not follow. */
  #span: Span;

  /** By how much the recording's poses differ from depth from one frame to the next at most, m; 0 where they do not contradict depth. */
  get astrayM(): number {
    const { wayM, offM, mostM } = this.#told;
    return mostM > JUMP_M || offM > Math.max(ALL_M, OTHERWISE * wayM) ? mostM : 0;
  }

  /** All that this object knows, as plain values, from which another one can be made. */
  get state() {
    return { frames: this.frames, began: this.#began, told: this.#told, before: this.#before, span: this.#span };
  }

  set state({ frames, began, told, before, span }) {
    [this.frames, this.#began, this.#told, this.#before, this.#span] = [frames, began, told, before, span];
  }

  add({ depth: { data } }: Pick<Fusable, "depth">, pose: CameraPose): void {
    const { state, recorded, toWorld } = pose;
    this.#span = recorded && this.#before ? this.#compared(between(this.#before, toWorld), pose) : undefined;
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

  /** Compares a frame's motion with the one that the recording's poses give, and returns the part of the way that goes on. */
  #compared(given: Rigid, { state, held, toBefore, uncertaintyM }: CameraPose): Span {
    const told = this.#told;
    const span = this.#span;
    const offM = shiftM(given, toBefore);
    if (held > 0 || offM < OWN_M || state === POSE_STATE.lost) return undefined;
    const stands = state === POSE_STATE.still;
    // The first motion after frames in which the camera seemed to stand, or was lost, catches up with theirs.
    const isSure = offM < JUMP_M || offM > SURE * uncertaintyM;
    if ((stands || span) && isSure) told.mostM = Math.max(told.mostM, offM);
    if (stands) return undefined;
    if (!span) return { given: IDENTITY, shown: IDENTITY };
    const now = { given: compose(rigid(), span.given, given), shown: compose(rigid(), span.shown, toBefore) };
    const wayM = shiftM(now.given, IDENTITY);
    if (Math.max(wayM, shiftM(now.shown, IDENTITY)) < Math.max(SPAN_M, SURE * uncertaintyM)) return now;
    told.wayM += wayM;
    told.offM += shiftM(now.given, now.shown);
    return { given: IDENTITY, shown: IDENTITY };
  }
}
