import { type ColorArray, type DepthArray, image } from "../core/frame.ts";
import type { Rigid } from "../core/pose.ts";
import type { Place, Placer } from "./place/placer.ts";
import { shiftM } from "./place/way.ts";
import type { Fusable } from "./volume/volume.ts";

/** A frame of a scan, kept so that the model can be made anew. */
export interface Kept {
  /** How many frames came before the frame. */
  readonly at: number;
  readonly frame: Fusable;
  readonly place: Place;
  /** The pose with which the frame was added to the model. */
  readonly used: Rigid;
  /** The stretch of frames that are taken back together. */
  readonly stretch: number;
  /** For how many frames the frame stands: for itself, and for frames from about its place that are no longer kept. */
  readonly times: number;
}

type Entry = { -readonly [key in keyof Kept]: Kept[key] } & {
  /** The later frame whose camera stood nearest. */
  next?: Entry | undefined;
  /** The distance of the two cameras, m. */
  gapM: number;
};

/**
 * Keeps a scan's frames in bounded memory. When the memory is full, a new frame takes the room of the frame that lies nearest to a later
 * frame; from then on the later frame stands for both. So frames from all places where the camera was are kept, however long the scan is.
 */
export class Album {
  #frames: Entry[] = [];
  #bytes = 0;
  #count = 0;

  constructor(readonly mostBytes: number) {}

  /** Keeps a copy of a frame. */
  add(frame: Fusable, rest: Pick<Kept, "place" | "used" | "stretch">): void {
    let room: Fusable | undefined;
    const bytes = bytesOf(frame);
    for (let last = NaN; this.#bytes + bytes > this.mostBytes && this.#bytes !== last; ) {
      last = this.#bytes;
      room = this.#letGo();
    }
    this.#take({ ...rest, at: this.#count++, frame: copyOf(frame, room), times: 1, gapM: Infinity });
  }

  /** The first kept frame that came after frame `at`. */
  after(at: number): Kept | undefined {
    return this.#frames.find((kept) => kept.at > at);
  }

  /** Takes a stretch of frames out, and returns them for `restore`. */
  drop(stretch: number): readonly Kept[] {
    const dropped = this.#frames.filter((kept) => kept.stretch === stretch);
    this.#keep((kept) => kept.stretch !== stretch);
    return dropped;
  }

  /** Takes frames in again that were taken out, if none was added since. */
  restore(frames: readonly Kept[]): void {
    for (const { at, frame, place, used, stretch, times } of frames)
      this.#take({ at, frame, place, used, stretch, times, gapM: Infinity });
  }

  #take(added: Entry): void {
    for (const entry of this.#frames) approach(entry, added);
    this.#frames.push(added);
    this.#bytes += bytesOf(added.frame);
  }

  /** Notes the pose with which a new model has a frame. */
  use({ at }: Kept, used: Rigid): void {
    for (const entry of this.#frames) if (entry.at === at) entry.used = used;
  }

  /** How far, at most, a frame's surface lies in the model from where it belongs, m. */
  offM(placer: Placer): number {
    return this.#frames.reduce((most, { place, used }) => Math.max(most, shiftM(used, placer.poseOf(place))), 0);
  }

  /** Lets one frame go, and returns it. */
  #letGo(): Fusable | undefined {
    const [first] = this.#frames;
    const least = this.#frames.reduce((best, entry) => (entry.gapM < best.gapM ? entry : best), first);
    if (!least?.next) return undefined;
    least.next.times += least.times;
    this.#keep((entry) => entry !== least);
    return least.frame;
  }

  #keep(wanted: (kept: Entry) => boolean): void {
    const left = this.#frames.filter(wanted);
    this.#bytes = left.reduce((sum, { frame }) => sum + bytesOf(frame), 0);
    const isLeft = new Set(left);
    for (const [i, entry] of left.entries()) {
      if (!entry.next || isLeft.has(entry.next)) continue;
      entry.gapM = Infinity;
      entry.next = undefined;
      for (const later of left.slice(i + 1)) approach(entry, later);
    }
    this.#frames = left;
  }
}

function approach(entry: Entry, later: Entry): void {
  const gapM = shiftM(entry.used, later.used);
  if (gapM < entry.gapM) Object.assign(entry, { next: later, gapM });
}

const bytesOf = ({ depth, color }: Fusable) => depth.data.byteLength + (color?.data.byteLength ?? 0);

/** A copy of a frame, in the arrays of `room` if these have its size. */
function copyOf({ depth, color, metresPerUnit, intrinsics }: Fusable, room: Fusable | undefined): Fusable {
  const colour = color && { color: copied(color, room?.color) };
  return { metresPerUnit, intrinsics, depth: copied(depth, room?.depth), ...colour };
}

function copied<T extends DepthArray | ColorArray>({ data, shape }: T, room: T | undefined): T {
  if (room?.data.length !== data.length) return image(data.slice(), shape) as T;
  room.data.set(data);
  return image(room.data, shape) as T;
}
