import { messageOf } from "../core/caught.ts";
import { counted, type Rule } from "../core/check.ts";
import type { Extra } from "../core/extras.ts";
import { type DepthFrame, type Intrinsics, sameLens } from "../core/frame.ts";

/** A time counts as kept if it is off by no more than this share of the time between two frames. */
const KEPT = 0.1;
const NO_LENSES =
  "the frames differ in size or lens, and only the first one's lens is kept, so that others have wrong points; MCAP keeps each lens";
const NO_TIMES = "folders of PNG, .npy, TIFF and TUM, and MCAP, keep times";

const millimetres = (metres: number): string => `${Number((metres * 1000).toPrecision(3))} mm`;

const EXTRAS: Readonly<Record<Extra, string>> = {
  metadata: "the camera’s notes about each frame",
  infrared: "infrared images",
  motion: "what inertial sensors measured",
};

/** Counts what a writer could not keep of its frames, for the user. */
export class Losses {
  readonly #notes = new Set<string>();
  #pixels = 0;
  #frames = 0;
  #farthestM = 0;
  #limitM = 0;
  /** The time of position 0, as the first frame seen has it. */
  #beginMs: number | undefined;
  /** The time of the first frame of all, where it is not kept. */
  #firstMs = 0;
  #lens: Intrinsics | undefined;
  #untimely = 0;
  #mostMs = 0;
  #unread = 0;
  #whyUnread = "";

  /** Counts a frame's pixels whose depth exceeds `limitM`, the most that the written unit can hold. */
  depth(pixels: number, farthestM: number, limitM: number): void {
    if (pixels === 0) return;
    this.#pixels += pixels;
    this.#frames++;
    this.#farthestM = Math.max(this.#farthestM, farthestM);
    this.#limitM = limitM;
  }

  /** Notes that depth in units of `from` metres is rounded to units of `to` metres. */
  units(from: number, to: number): void {
    const steps = from / to;
    if (Math.abs(steps - Math.round(steps)) < 1e-6 * steps) return;
    this.note(`depth in units of ${millimetres(from)} is rounded to units of ${millimetres(to)}`);
  }

  /**
   * Notes by how much a frame loses its time in a layout that keeps frames per second only. Such a layout gives the frame at `position`
   * the time position / fps, and the first frame the time 0.
   */
  time({ timestamp }: DepthFrame, fps: number, position: number): void {
    const stepMs = 1000 / fps;
    this.#beginMs ??= timestamp - position * stepMs;
    if (position === 0 && Math.abs(timestamp) > KEPT * stepMs) this.#firstMs = timestamp;
    const offMs = Math.abs(timestamp - this.#beginMs - position * stepMs);
    if (offMs > KEPT * stepMs) this.#untimely++;
    this.#mostMs = Math.max(this.#mostMs, offMs);
  }

  /** Compares a frame's lens with the first frame's, in a layout that keeps only that one. */
  lens({ intrinsics }: Pick<DepthFrame, "intrinsics">): void {
    this.#lens ??= intrinsics;
    if (!sameLens(intrinsics, this.#lens)) this.note(NO_LENSES);
  }

  /** Notes what a recording holds beside depth and colour and the layout does not keep. */
  extras(lost: readonly Extra[]): void {
    const names = lost.map((extra) => EXTRAS[extra]).join(", ");
    if (names) this.note(`not kept: ${names}; MCAP keeps them`);
  }

  /** Counts a frame of which nothing beside depth and colour can be read. */
  unread(error: unknown): void {
    if (this.#unread++ === 0) this.#whyUnread = messageOf(error);
  }

  /** Notes a loss; each text is shown once. */
  note(line: string): void {
    this.#notes.add(line);
  }

  /** One line for each loss. */
  get lines(): string[] {
    const lines = [...this.#notes];
    if (this.#unread > 0)
      lines.push(
        `${counted(this.#unread, "frame")} written without what the file holds beside depth and colour: ${this.#whyUnread}`,
      );
    if (this.#pixels > 0) {
      const upTo = `16 bits hold up to ${this.#limitM.toFixed(1)} m here, the farthest is ${this.#farthestM.toFixed(1)} m`;
      const why = this.#farthestM > this.#limitM ? `too far to be written (${upTo})` : "nearer than half a unit";
      const are = this.#pixels === 1 ? "is" : "are";
      lines.push(
        `${counted(this.#pixels, "pixel")} of ${counted(this.#frames, "frame")} ${are} ${why}; they become 0, no measurement`,
      );
    }
    if (this.#firstMs !== 0) {
      lines.push(`the first frame's time, ${this.#firstMs / 1000} s, is not kept and becomes 0 s; ${NO_TIMES}`);
    }
    if (this.#untimely > 0) {
      const off = `the times of ${counted(this.#untimely, "frame")} become up to ${Math.round(this.#mostMs)} ms earlier or later`;
      lines.push(`only the frame rate is kept, so that ${off}; ${NO_TIMES}`);
    }
    return lines;
  }
}

/** The accepted values of an option `losses`. */
export const lossesRule: Rule = { expects: "a Losses", holds: (value) => value instanceof Losses };
