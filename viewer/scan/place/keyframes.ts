import { compose, IDENTITY, invert, poseBetween, type Rigid, rigid, turnOf } from "../../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import { invertBlock } from "./elimination.ts";
import { type Edge, PoseGraph } from "./graph.ts";
import { type Aligned, alignedBy, alignLooks } from "./icp.ts";
import { type CodedLook, lookOf, type PackedLook, packed, unlike, unpacked } from "./look.ts";

/** A frame of which the graph keeps what it saw. */
interface Keyframe {
  readonly look: PackedLook;
  /** Its pose as the tracker said it. */
  readonly tracked: Rigid;
  /** Whether the tracker followed the camera from the keyframe before to this one. */
  readonly isNext: boolean;
  /** How far the camera went until here, as `way` tells it. */
  readonly gone: number;
  /** How many frames hang on this keyframe, itself included. */
  steps: number;
}

/** Where a frame hangs in the graph, so that its pose follows when the graph moves. */
export interface Mark {
  readonly keyframe: number;
  /** How many frames before it hang on the same keyframe. */
  readonly step: number;
  /** Maps the frame's camera to that of the keyframe. */
  readonly motion: Rigid;
}

type Found = Aligned & { readonly from: number };

/** A new keyframe is this far, in metres, or turned by this angle, in radians (the second with colours), from the one before. */
const [APART_M, APART, LIT_APART] = [0.2, 0.2, 0.15];
/** At most so many keyframes are kept: each takes some 100 kB. */
const MOST = 300;
/** So many keyframes near a frame, and so many that look most like it, are compared with it. */
const TRIED = 3;
/** A keyframe this near, in metres and radians, may show the same. */
const [NEAR_M, NEAR] = [0.6, 0.5];
/** The camera came back where the straight way to an earlier keyframe is less than this share of the way that it went since. */
const BACK = 0.5;
/** An alignment counts where so large a share of the frame fits so well, and so small a share contradicts. */
const [SHARE, RMS_M, THROUGH] = [0.45, 0.012, 0.1];
/** A loop is closed between views that differ by less than this: what a lens or a shutter bends grows with the difference. */
const SAME = 0.35;
/** Two keyframes in a row are also aligned directly, which counts where it fits even better. */
const [SURE_SHARE, SURE_RMS_M] = [0.65, 0.008];
/** An alignment counts as this many independent pixels, since the errors of neighbouring pixels are alike: without and with brightness. */
const [WORTH, LIT_WORTH] = [100, 30];
/** An alignment that the scene determines no better than to this standard deviation, m, counts for nothing. */
const MOST_UNSURE_M = 0.01;
/** The least noise of an alignment, m. */
const NOISE_M = 0.003;
/** The standard deviation of the tracker's motion between two keyframes whose looks show nothing of it, m and radians. */
const TRACKED = 0.05;

/** Holds a scan's keyframes and the graph of their poses; all poses are in the axes of the first camera. */
export class Keyframes {
  readonly graph = new PoseGraph();
  /** How often the camera came back to what it had seen. */
  loops = 0;
  /** How far the graph has moved a keyframe at most, m. */
  movedM = 0;
  readonly #keyframes: Keyframe[] = [];
  /** The keyframe on which new frames hang, and its pose in the tracker's present world. */
  #now = 0;
  #tracked: Rigid = IDENTITY;

  /** Takes a frame that the tracker followed, and returns where it hangs. `fix` places the first one: it maps the tracker's world. */
  follow(frame: Fusable, tracked: Rigid, fix: Rigid): Mark {
    if (this.#keyframes.length === 0) this.#add(lookOf(frame), tracked, compose(rigid(), fix, tracked), false);
    return this.#hang(frame, tracked);
  }

  #hang(frame: Fusable, tracked: Rigid): Mark {
    const motion = between(this.#tracked, tracked);
    const isFar =
      Math.hypot(motion[3], motion[7], motion[11]) > APART_M ||
      Math.hypot(...turnOf(motion)) > (frame.color ? LIT_APART : APART);
    if (isFar) this.#move(frame, tracked, motion);
    const keyframe = this.#keyframes[this.#now];
    // Frames that hang on an old keyframe again lie on no way from it to the next one.
    const isOld = this.#now + 1 < this.#keyframes.length;
    return { keyframe: this.#now, step: isOld ? 0 : keyframe.steps++, motion: between(this.#tracked, tracked) };
  }

  /** Recognises a frame that the tracker did not follow. Returns where it hangs; `undefined` where nothing that was kept looks like it. */
  find(frame: Fusable, tracked: Rigid): Mark | undefined {
    if (this.#keyframes.length === 0) return undefined;
    const look = lookOf(frame);
    const guess = compose(rigid(), this.graph.poses[this.#now], between(this.#tracked, tracked));
    const found = this.#recognised(look, guess);
    if (!found) return undefined;
    if (this.#keyframes.length === MOST) this.#hangOn(found, tracked);
    else {
      const { from, motion } = found;
      const to = this.#add(look, tracked, compose(rigid(), this.graph.poses[from], motion), false);
      this.graph.edges.push({ from, to, motion, information: worthOf(found), isLoop: false });
      this.#close(look, to);
    }
    return this.#hang(frame, tracked);
  }

  /** Where a frame's camera was, by all that is known now. */
  poseOf({ keyframe, step, motion }: Mark): Rigid {
    const next = this.#keyframes[keyframe + 1];
    const { tracked, steps } = this.#keyframes[keyframe];
    if (step === 0 || !next?.isNext) return compose(rigid(), this.graph.poses[keyframe], motion);
    // What the graph changed between two keyframes is spread over the frames between them.
    const fix = poseBetween(this.#fixOf(keyframe), this.#fixOf(keyframe + 1), step / steps);
    return compose(rigid(), fix, compose(rigid(), tracked, motion));
  }

  /** Maps the tracker's world at a keyframe to the first camera's. */
  #fixOf(keyframe: number): Rigid {
    return compose(rigid(), this.graph.poses[keyframe], invert(rigid(), this.#keyframes[keyframe].tracked));
  }

  #add(look: CodedLook, tracked: Rigid, pose: Rigid, isNext: boolean): number {
    const last = this.#keyframes.at(-1);
    const gone = last ? last.gone + (isNext ? way(between(last.tracked, tracked)) : 1) : 0;
    this.#keyframes.push({ look: packed(look), tracked: tracked.slice(), isNext, gone, steps: 0 });
    this.#now = this.graph.add(pose);
    this.#tracked = tracked.slice();
    return this.#now;
  }

  /** The camera has left its keyframe: the frame becomes one, or hangs on an old one. */
  #move(frame: Fusable, tracked: Rigid, motion: Rigid): void {
    const look = lookOf(frame);
    const { graph } = this;
    const from = this.#now;
    const pose = compose(rigid(), graph.poses[from], motion);
    if (this.#keyframes.length === MOST) {
      const found = this.#recognised(look, pose);
      if (found) this.#hangOn(found, tracked);
      return;
    }
    const aligned = this.#aligned(look, from, pose);
    const lit = aligned?.isLit ? aligned : undefined;
    // The tracker goes by depth alone: brightness also shows motions along surfaces.
    const to = this.#add(look, tracked, lit ? compose(rigid(), graph.poses[from], lit.motion) : pose, true);
    if (lit) graph.edges.push({ ...loopOf(from, to, lit), isLoop: false });
    else {
      const information = worthOf(
        alignedBy({ ...look, light: undefined }, unpacked(this.#keyframes[from].look), motion),
        TRACKED,
      );
      graph.edges.push({ from, to, motion, information, isLoop: false });
      if (aligned && aligned.share > SURE_SHARE && aligned.rmsM < SURE_RMS_M)
        graph.edges.push(loopOf(from, to, aligned));
    }
    this.#close(look, to);
  }

  #recognised(look: CodedLook, pose: Rigid): Found | undefined {
    // From afar brightness leads to wrong places.
    const dark = { ...look, light: undefined };
    for (const from of this.#candidates(look, pose, this.#keyframes.length)) {
      const aligned = this.#aligned(dark, from, pose);
      if (aligned) return { ...aligned, from };
    }
    return undefined;
  }

  #hangOn({ from, motion }: Found, tracked: Rigid): void {
    this.#now = from;
    this.#tracked = compose(rigid(), tracked, invert(rigid(), motion));
  }

  /** Looks for keyframes to which the camera came back, and has the graph move. */
  #close(look: CodedLook, to: number): void {
    const { graph } = this;
    const { gone } = this.#keyframes[to];
    const edges: Edge[] = [];
    for (const from of this.#candidates(look, graph.poses[to], to)) {
      const straight = way(between(graph.poses[from], graph.poses[to]));
      if (straight > BACK * (gone - this.#keyframes[from].gone)) continue;
      const aligned = this.#aligned(look, from, graph.poses[to]);
      if (aligned && way(aligned.motion) < SAME) edges.push(loopOf(from, to, aligned));
    }
    const before = graph.poses.map((pose) => pose.slice());
    const added = graph.close(edges);
    if (added === 0) return;
    this.loops += added;
    const moved = before.map((pose, i) => between(pose, graph.poses[i]));
    this.movedM = Math.max(this.movedM, ...moved.map((m) => Math.hypot(m[3], m[7], m[11])));
  }

  /** The keyframes before `end` that are near a pose or look most like a frame, the best ones first. */
  #candidates(look: CodedLook, pose: Rigid, end: number): number[] {
    const all = this.#keyframes.slice(0, end).map((keyframe, i) => {
      const motion = between(this.graph.poses[i], pose);
      return { i, away: unlike(look.code, keyframe.look.code), isNear: isNear(motion), far: way(motion) };
    });
    const near = all.filter(({ isNear }) => isNear).toSorted((a, b) => a.far - b.far);
    const alike = all.toSorted((a, b) => a.away - b.away);
    return [...new Set([...near.slice(0, TRIED), ...alike.slice(0, TRIED)].map(({ i }) => i))];
  }

  /** Aligns a frame with a keyframe, beginning with the frame's supposed pose if that is near, else with the keyframe's own. */
  #aligned(look: CodedLook, keyframe: number, pose: Rigid): Aligned | undefined {
    const guess = between(this.graph.poses[keyframe], pose);
    const aligned = alignLooks(look, unpacked(this.#keyframes[keyframe].look), isNear(guess) ? guess : IDENTITY);
    if (!aligned || aligned.share < SHARE || aligned.rmsM > RMS_M || aligned.through > THROUGH) return undefined;
    return unsureM(aligned) < MOST_UNSURE_M ? aligned : undefined;
  }
}

const between = (a: Rigid, b: Rigid): Rigid => compose(rigid(), invert(rigid(), a), b);

/** The length of a motion: metres and radians, added up. */
const way = (motion: Rigid): number => Math.hypot(motion[3], motion[7], motion[11]) + Math.hypot(...turnOf(motion));

const isNear = (motion: Rigid): boolean =>
  Math.hypot(motion[3], motion[7], motion[11]) < NEAR_M && Math.hypot(...turnOf(motion)) < NEAR;

const loopOf = (from: number, to: number, aligned: Aligned): Edge => ({
  ...{ from, to, motion: aligned.motion, information: worthOf(aligned), isLoop: true },
});

/** The standard deviation of an alignment's shift, m. */
export function unsureM(aligned: Aligned): number {
  const covariance = worthOf(aligned);
  return invertBlock(covariance) ? Math.sqrt(covariance[0] + covariance[7] + covariance[14]) : Infinity;
}

/** The information of an alignment, beside that of a standard deviation if one is given. */
function worthOf(aligned: Aligned | undefined, deviation = Infinity): Float64Array {
  const out = new Float64Array(36);
  for (let k = 0; k < 36; k += 7) out[k] = 1 / deviation ** 2;
  const scale = aligned ? (aligned.isLit ? LIT_WORTH : WORTH) / (aligned.rmsM ** 2 + NOISE_M ** 2) : 0;
  for (let r = 0, at = 0; r < 6; r++) {
    for (let c = r; c < 6; c++, at++) {
      out[6 * r + c] += scale * (aligned?.normal[at] ?? 0);
      out[6 * c + r] = out[6 * r + c];
    }
  }
  return out;
}
