import type { DepthFrame } from "../core/frame.ts";

/** Time steps that differ from the nominal one by more than this share are irregular. */
const REGULAR = 0.1;

const millimetres = (metres: number): string => `${Number((metres * 1000).toPrecision(3))} mm`;

/** Counts what a writer could not keep of its frames, for the user. */
export class Losses {
  readonly #notes = new Set<string>();
  #pixels = 0;
  #frames = 0;
  #farthestM = 0;
  #limitM = 0;
  #lastMs: number | undefined;
  #irregular = 0;

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

  /** Counts frames at irregular times, in a layout that keeps only frames per second. */
  time({ timestamp }: DepthFrame, fps: number): void {
    const stepMs = timestamp - (this.#lastMs ?? timestamp - 1000 / fps);
    this.#lastMs = timestamp;
    if (Math.abs(stepMs - 1000 / fps) > (REGULAR * 1000) / fps) this.#irregular++;
  }

  /** Notes a loss; each text is shown once. */
  note(line: string): void {
    this.#notes.add(line);
  }

  /** One line for each loss. */
  get lines(): string[] {
    const lines = [...this.#notes];
    if (this.#pixels > 0) {
      const upTo = `16 bits hold up to ${this.#limitM.toFixed(1)} m here, the farthest is ${this.#farthestM.toFixed(1)} m`;
      lines.push(
        `${this.#pixels} pixels of ${this.#frames} frames are too far to be written (${upTo}); they become 0, no measurement`,
      );
    }
    if (this.#irregular > 0) {
      lines.push(`${this.#irregular} frames have irregular time stamps, which are not kept; only the frame rate is`);
    }
    return lines;
  }
}
