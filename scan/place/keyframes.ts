import { compose, IDENTITY, invert, poseBetween, type Rigid, rigid, turnOf } from "../../core/pose.ts";
import { type Edge, PoseGraph } from "./graph.ts";
import { type Aligned, alignedBy, alignLooks } from "./icp.ts";
import type { Keyframe, Mark, Seen } from "./keyframe.ts";
import { type CodedLook, lookOf, packed, unlike, unpacked } from "./look.ts";
import { rateOf, Shutter, type Tracked } from "./shutter.ts";
import { between, isNear, qualityOf, type WayQuality, way } from "./way.ts";
import { unsureM, worthOf } from "./worth.ts";

type FoundMatch = Aligned & { readonly from: number };

/** A new keyframe is this far, in metres, or turned by this angle, in radians (the second with colours), from the one before. */
const APART_M = 0.2;
const APART = 0.2;
const LIT_APART = 0.15;
/** The most keyframes that are kept: each takes some 100 kB. */
const MOST = 300;
/** A frame is compared with the TRIED nearest keyframes, and with the TRIED keyframes that look most like the frame. */
const TRIED = 3;
/** The camera came back where the straight way to an earlier keyframe is less than this share of the way that it went since. */
const BACK = 0.5;
/** An alignment counts if it explains the share SHARE of the frame to RMS_M, and at most the share THROUGH contradicts it. */
const SHARE = 0.45;
const RMS_M = 0.012;
const THROUGH = 0.1;
/** A loop is closed only between views that differ by less than this: errors by lens and shutter grow with the difference. */
const SAME = 0.35;
/** Two keyframes in a row are also aligned directly, which counts where it fits even better. */
const SURE_SHARE = 0.65;
const SURE_RMS_M = 0.008;
/** An alignment that the scene determines no better than to this standard deviation, m, counts for nothing. */
const MOST_UNSURE_M = 0.01;
/** The standard deviation of the tracker's motion between two keyframes whose looks do not show this motion, m and radians. */
const TRACKED = 0.05;
/** The most refused loops that are kept. */
const REFUSED = 6;
/** If the readout time changes by the share BENT, all alignments are made anew: of up to REMADE keyframes, at most TIMES times. */
const BENT = 0.2;
const REMADE = 60;
const TIMES = 4;

/** Holds a scan's keyframes and the graph of their poses; all poses are in the axes of the first camera. */
export class Keyframes {
  readonly graph = new PoseGraph();
  /** How often the camera came back to what it had seen. */
  loops = 0;
  /** How far the graph has moved a keyframe at most, m. */
  movedM = 0;
  /** How often the graph took in a keyframe: places may have moved where this has changed. */
  revision = 0;
  readonly #keyframes: Keyframe[] = [];
  #shutter = new Shutter();
  /** The last loops that the graph refused: it is asked again together with later ones, which may agree with them. */
  #refused: Edge[] = [];
  /** The time in which alignments take images to be read out, ms. */
  #readoutMs = 0;
  /** How often the alignments were made anew. */
  #remade = 0;
  /** The frame before, as the tracker placed it. */
  #before: Tracked | undefined;
  /** The keyframe on which new frames hang, and its pose in the tracker's present world. */
  #now = 0;
  #tracked: Rigid = IDENTITY;

  /** The time in which the camera reads an image out, ms, and its standard deviation; 0 where it cannot be told from 0. */
  get readout(): { readonly ms: number; readonly sigmaMs: number } {
    return { ms: this.#readoutMs, sigmaMs: this.#shutter.sigmaMs };
  }

  /** How well the scene showed the way. */
  get quality(): WayQuality {
    return qualityOf(this.#keyframes, this.graph, this.loops);
  }

  /** All that these keyframes know, as plain values, from which others can be made. */
  get state() {
    const { loops, movedM, revision, graph } = this;
    const [keyframes, sums, refused, before] = [this.#keyframes, this.#shutter.sums, this.#refused, this.#before];
    const [readoutMs, remade, now, tracked] = [this.#readoutMs, this.#remade, this.#now, this.#tracked];
    return { ...graph, loops, movedM, revision, keyframes, sums, refused, before, readoutMs, remade, now, tracked };
  }

  set state({ poses, edges, keyframes, sums, ...rest }) {
    Object.assign(this, { loops: rest.loops, movedM: rest.movedM, revision: rest.revision });
    Object.assign(this.graph, { poses, edges });
    this.#keyframes.push(...keyframes);
    Object.assign(this.#shutter.sums, sums);
    [this.#refused, this.#before, this.#tracked, this.#now] = [rest.refused, rest.before, rest.tracked, rest.now];
    [this.#readoutMs, this.#remade] = [rest.readoutMs, rest.remade];
  }

  /** Takes a frame that the tracker followed, and returns where it hangs. `fix` places the first one: it maps the tracker's world. */
  follow(frame: Seen, tracked: Rigid, fix: Rigid): Mark {
    if (this.#keyframes.length === 0) {
      this.#add(lookOf(frame), tracked, false);
      this.graph.add(compose(rigid(), fix, tracked));
    }
    return this.#hang(frame, tracked);
  }

  #hang(frame: Seen, tracked: Rigid): Mark {
    const motion = between(this.#tracked, tracked);
    const isFar =
      Math.hypot(motion[3], motion[7], motion[11]) > APART_M ||
      Math.hypot(...turnOf(motion)) > (frame.color ? LIT_APART : APART);
    const now = { ms: frame.timestamp, tracked: tracked.slice() };
    if (isFar) this.#move({ ...lookOf(frame), rate: rateOf(this.#before, now) }, tracked, motion);
    this.#before = now;
    const keyframe = this.#keyframes[this.#now];
    // A frame that goes back to an old keyframe is no step on the way from that keyframe to the next one.
    const isOld = this.#now + 1 < this.#keyframes.length;
    return { keyframe: this.#now, step: isOld ? 0 : keyframe.steps++, motion: between(this.#tracked, tracked) };
  }

  /** Recognises a frame that the tracker did not follow. Returns where it hangs; `undefined` where nothing that was kept looks like it. */
  find(frame: Seen, tracked = this.#before?.tracked ?? this.#tracked): Mark | undefined {
    this.#before = undefined;
    if (this.#keyframes.length === 0) return undefined;
    const look = lookOf(frame);
    const guess = compose(rigid(), this.graph.poses[this.#now], between(this.#tracked, tracked));
    const found = this.#recognised(look, guess);
    if (!found) return undefined;
    if (this.#keyframes.length === MOST) this.#hangOn(found, tracked);
    else {
      const { from, motion } = found;
      const edge = { from, to: this.#keyframes.length, motion, information: worthOf(found), isLoop: false };
      this.#add(look, tracked, false, edge);
      this.#link(look, edge.to);
    }
    return this.#hang(frame, tracked);
  }

  /** Where a frame's camera was, by all that is known now. */
  poseOf({ keyframe, step, motion }: Mark): Rigid {
    const next = this.#keyframes[keyframe + 1];
    const { tracked, steps } = this.#keyframes[keyframe];
    if (step === 0 || !next?.isNext) return compose(rigid(), this.graph.poses[keyframe], motion);
    // The graph's correction between two keyframes is spread over the frames between them.
    const fix = poseBetween(this.#fixOf(keyframe), this.#fixOf(keyframe + 1), step / steps);
    return compose(rigid(), fix, compose(rigid(), tracked, motion));
  }

  /** Maps the tracker's world at a keyframe to the first camera's. */
  #fixOf(keyframe: number): Rigid {
    return compose(rigid(), this.graph.poses[keyframe], invert(rigid(), this.#keyframes[keyframe].tracked));
  }

  /** Adds a keyframe, of which the graph has yet to learn. */
  #add(look: CodedLook, tracked: Rigid, isNext: boolean, found?: Edge): void {
    const last = this.#keyframes.at(-1);
    const gone = last ? last.gone + (isNext ? way(between(last.tracked, tracked)) : 1) : 0;
    const own = { look: packed(look), tracked: tracked.slice(), isNext, found, gone, steps: 0, isShown: true };
    this.#now = this.#keyframes.push(own) - 1;
    this.#tracked = tracked.slice();
  }

  /** Handles a frame with which the camera has left its keyframe: the frame becomes a keyframe, or is attached to an old one. */
  #move(look: CodedLook, tracked: Rigid, motion: Rigid): void {
    if (this.#keyframes.length === MOST) {
      const found = this.#recognised(look, compose(rigid(), this.graph.poses[this.#now], motion));
      if (found) this.#hangOn(found, tracked);
      return;
    }
    this.#add(look, tracked, true);
    this.#link(look, this.#now);
    this.#unbend();
  }

  /** Adds a keyframe to the graph, with what is known of its motion from earlier ones. */
  #link(look: CodedLook, to: number): void {
    const { graph } = this;
    this.revision++;
    const { found, tracked } = this.#keyframes[to];
    if (found) {
      graph.add(compose(rigid(), graph.poses[found.from], found.motion));
      graph.edges.push(found);
      this.#close(look, to);
      return;
    }
    const from = to - 1;
    const motion = between(this.#keyframes[from].tracked, tracked);
    const pose = compose(rigid(), graph.poses[from], motion);
    const aligned = this.#aligned(look, from, pose);
    const lit = aligned?.isLit ? aligned : undefined;
    // The tracker uses depth alone; brightness also shows motions along surfaces.
    graph.add(lit ? compose(rigid(), graph.poses[from], lit.motion) : pose);
    if (lit) graph.edges.push({ ...loopOf(from, to, lit), isLoop: false });
    else {
      const [own, other] = this.#pair({ ...look, light: undefined }, from);
      const seen = alignedBy(own, other, motion);
      const information = worthOf(seen, TRACKED);
      this.#keyframes[to].isShown = seen !== undefined && unsureM(seen) < MOST_UNSURE_M;
      graph.edges.push({ from, to, motion, information, isLoop: false });
      if (aligned && aligned.share > SURE_SHARE && aligned.rmsM < SURE_RMS_M)
        graph.edges.push(loopOf(from, to, aligned));
    }
    this.#close(look, to);
  }

  /** Makes the graph anew where the readout time is not what the alignments took it to be. */
  #unbend(): void {
    const { readoutMs } = this.#shutter;
    if (Math.abs(readoutMs - this.#readoutMs) <= BENT * Math.abs(readoutMs)) return;
    if (this.#keyframes.length > REMADE || this.#remade === TIMES) return;
    this.#remade++;
    this.#readoutMs = readoutMs;
    this.#shutter = new Shutter();
    this.loops = 0;
    const { edges, poses } = this.graph;
    const before = poses.splice(1);
    edges.length = 0;
    this.#refused = [];
    for (let to = 1; to < this.#keyframes.length; to++) this.#link(unpacked(this.#keyframes[to].look), to);
    this.#noteMoves([poses[0], ...before]);
  }

  /** A frame's look and a keyframe's, each with the camera's turn while its image was read out. */
  #pair(look: CodedLook, keyframe: number): [CodedLook, CodedLook] {
    const turning = (look: CodedLook): CodedLook => {
      const [x, y, z] = look.rate?.map((rate) => rate * this.#readoutMs) ?? [0, 0, 0];
      return { ...look, turn: [x, y, z] };
    };
    return [turning(look), turning(unpacked(this.#keyframes[keyframe].look))];
  }

  #recognised(look: CodedLook, pose: Rigid): FoundMatch | undefined {
    // From afar brightness leads to wrong places.
    const dark = { ...look, light: undefined };
    for (const from of this.#candidates(look, pose, this.#keyframes.length)) {
      const aligned = this.#aligned(dark, from, pose);
      if (aligned) return { ...aligned, from };
    }
    return undefined;
  }

  #hangOn({ from, motion }: FoundMatch, tracked: Rigid): void {
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
    if (edges.length === 0) return;
    const before = graph.poses.map((pose) => pose.slice());
    const loops = [...this.#refused, ...edges];
    const added = graph.close(loops);
    this.#refused = loops.filter((loop) => !graph.edges.includes(loop)).slice(-REFUSED);
    if (added === 0) return;
    this.loops += added;
    this.#noteMoves(before);
  }

  #noteMoves(before: readonly Rigid[]): void {
    const moved = before.map((pose, i) => between(pose, this.graph.poses[i]));
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
    const [own, other] = this.#pair(look, keyframe);
    const aligned = alignLooks(own, other, isNear(guess) ? guess : IDENTITY);
    if (!aligned || aligned.share < SHARE || aligned.rmsM > RMS_M || aligned.through > THROUGH) return undefined;
    if (!(unsureM(aligned) < MOST_UNSURE_M)) return undefined;
    this.#shutter.add(own, other, aligned.motion, this.#readoutMs);
    return aligned;
  }
}

const loopOf = (from: number, to: number, aligned: Aligned): Edge => {
  return { from, to, motion: aligned.motion, information: worthOf(aligned), isLoop: true };
};
