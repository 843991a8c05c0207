/**
 * The times of a recording of what plays. A loop or a jump back takes the source's time back; a file whose time went back would play in
 * another order than it was recorded in, so the recording's own time goes on, by the step that the frames had before.
 */
export class OnwardTime {
  #before: number | undefined;
  #shiftMs = 0;
  #stepMs: number;

  /** `fps`: the source's frame rate, for the first step. */
  constructor(fps: number) {
    this.#stepMs = 1000 / (fps > 0 ? fps : 30);
  }

  /** The recording's time of the next frame, ms, from the source's time of this frame. */
  of(sourceMs: number): number {
    const before = this.#before;
    this.#before = sourceMs;
    if (before === undefined) return sourceMs;
    if (sourceMs > before) this.#stepMs = sourceMs - before;
    else this.#shiftMs += before - sourceMs + this.#stepMs;
    return sourceMs + this.#shiftMs;
  }
}
