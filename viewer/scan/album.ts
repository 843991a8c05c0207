import { type ColorArray, type DepthArray, image } from "../../sources/core/frame.ts";
import type { Rigid } from "../../stages/core/pose.ts";
import { type Place, type Placer, shiftM } from "./place/placer.ts";
import type { Fusable } from "./volume/volume.ts";

/** A frame of a scan, kept so that the model can be made anew. */
export interface Kept {
  /** How many frames came before it. */
  readonly at: number;
  readonly frame: Fusable;
  readonly place: Place;
  /** The pose with which the model has it. */
  readonly used: Rigid;
  /** The stretch of frames that are taken back together. */
  readonly stretch: number;
}

/** Keeps a scan's frames in bounded memory: all of them, or every second one, every fourth, and so on. */
export class Album {
  /** One in so many frames is kept. */
  stride = 1;
  #frames: Kept[] = [];
  #bytes = 0;
  #count = 0;

  constructor(readonly mostBytes: number) {}

  /** Keeps a copy of a frame, if its turn comes. */
  add({ depth, color, metresPerUnit, intrinsics }: Fusable, rest: Omit<Kept, "at" | "frame">): void {
    const at = this.#count++;
    if (at % this.stride > 0) return;
    const frame = { metresPerUnit, intrinsics, depth: copyOf(depth), ...(color && { color: copyOf(color) }) };
    this.#frames.push({ ...rest, at, frame });
    this.#bytes += bytesOf(frame);
    if (this.#bytes <= this.mostBytes) return;
    this.stride *= 2;
    this.#keep((kept) => kept.at % this.stride === 0);
  }

  /** The first kept frame that came after frame `at`. */
  after(at: number): Kept | undefined {
    return this.#frames.find((kept) => kept.at > at);
  }

  /** Throws a stretch of frames away. */
  drop(stretch: number | undefined): void {
    this.#keep((kept) => kept.stretch !== stretch);
  }

  /** Notes the pose with which a new model has a frame. */
  use(kept: Kept, used: Rigid): void {
    this.#frames[this.#frames.indexOf(kept)] = { ...kept, used };
  }

  /** How far from its place the model has what a frame shows, at most, m. */
  offM(placer: Placer): number {
    return this.#frames.reduce((most, { place, used }) => Math.max(most, shiftM(used, placer.poseOf(place))), 0);
  }

  #keep(wanted: (kept: Kept) => boolean): void {
    this.#frames = this.#frames.filter(wanted);
    this.#bytes = this.#frames.reduce((sum, { frame }) => sum + bytesOf(frame), 0);
  }
}

const bytesOf = ({ depth, color }: Fusable) => depth.data.byteLength + (color?.data.byteLength ?? 0);
const copyOf = <T extends DepthArray | ColorArray>({ data, shape }: T) => image(data.slice(), shape) as T;
