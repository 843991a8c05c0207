import { Subject, type Subscription } from "rxjs";
import { type DepthFrame, playOf, type Recording } from "../../../sources/index.ts";

/** Plays one recording at a time into one stream of frames that never ends: pause, go to a frame, another recording. */
export class Player {
  readonly frames$ = new Subject<DepthFrame>();
  /** Something that a transport shows has changed. */
  readonly changed$ = new Subject<void>();
  /** A frame could not be read. Playing has stopped; the last picture stays. */
  readonly failed$ = new Subject<unknown>();
  recording: Recording | null = null;
  index = 0;
  loop = true;
  #playing: Subscription | null = null;
  #last: DepthFrame | null = null;
  /** Of several frames asked for while one is being read only the newest is read. */
  #wanted: number | null = null;
  #reading = false;

  /** The frame that was given last. */
  get frame(): DepthFrame | null {
    return this.#last;
  }

  get playing(): boolean {
    return this.#playing !== null;
  }

  /** Plays another recording from its start, and closes the one before. */
  open(recording: Recording): void {
    const before = this.recording;
    this.#stop();
    this.#last = null;
    this.recording = recording;
    this.index = 0;
    this.play();
    void before?.close();
  }

  play(): void {
    const { recording, loop } = this;
    if (!recording || this.playing) return;
    const atEnd = this.index >= recording.length - 1;
    const frames$ = playOf(recording, { start: atEnd ? 0 : this.index, loop });
    // Kept before subscribing as well: a recording may fail at once.
    const playing = frames$.subscribe({
      next: (frame) => this.#emit(frame),
      error: (error) => this.#fail(error),
      complete: () => this.pause(),
    });
    this.#playing = playing.closed ? null : playing;
    this.changed$.next();
  }

  pause(): void {
    this.#stop();
    this.changed$.next();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    if (this.playing) {
      this.#stop();
      this.play();
    }
    this.changed$.next();
  }

  /** Goes to a frame and stays there. */
  seek(index: number): void {
    const { recording } = this;
    if (!recording) return;
    this.#stop();
    this.index = Math.min(Math.max(0, Math.round(index)), recording.length - 1);
    this.#wanted = this.index;
    this.changed$.next();
    void this.#readWanted(recording);
  }

  /** Gives the last frame again, where no next one will come: something changed that needs it processed anew. */
  refresh(): void {
    if (!this.playing && this.#last) this.frames$.next(this.#last);
  }

  async #readWanted(recording: Recording): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#wanted !== null && recording === this.recording) {
        const index = this.#wanted;
        this.#wanted = null;
        const frame = await recording.read(index);
        if (recording === this.recording && !this.playing) this.#emit(frame);
      }
    } catch (error) {
      if (recording === this.recording) this.#fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #emit(frame: DepthFrame): void {
    this.#last = frame;
    // While a slider is dragged the frames come behind it: it must not jump back to them.
    if (this.#wanted === null) this.index = frame.index;
    this.frames$.next(frame);
    this.changed$.next();
  }

  #stop(): void {
    this.#playing?.unsubscribe();
    this.#playing = null;
    this.#wanted = null;
  }

  #fail(error: unknown): void {
    this.pause();
    this.failed$.next(error);
  }
}
