import { Subject, type Subscription } from "rxjs";
import { type DepthFrame, isRecording, playOf, type Recording, type Source } from "../../../sources/index.ts";

/** Plays one source at a time into one stream of frames that never ends: pause, another source; of a recording, any frame. */
export class Player {
  readonly frames$ = new Subject<DepthFrame>();
  /** Something that a transport shows has changed. */
  readonly changed$ = new Subject<void>();
  /** A frame was left out because it could not be read. */
  readonly unreadable$ = new Subject<{ readonly index: number; readonly fault: Error }>();
  /** The source has failed. Playing has stopped; the last picture stays. */
  readonly failed$ = new Subject<unknown>();
  source: Source | null = null;
  index = 0;
  loop = true;
  #playing: Subscription | null = null;
  #last: DepthFrame | null = null;
  /** The next frame does not follow the last one. */
  #jumped = true;
  /** Of several frames asked for while one is being read only the newest is read. */
  #wanted: number | null = null;
  #reading = false;

  /** The frame that was given last. */
  get frame(): DepthFrame | null {
    return this.#last;
  }

  /** What plays, where it is one that can seek; `null` for a camera. */
  get recording(): Recording | null {
    return this.source && isRecording(this.source) ? this.source : null;
  }

  get playing(): boolean {
    return this.#playing !== null;
  }

  /** Plays another source, a recording from its start, and closes the one before. */
  open(source: Source): void {
    const before = this.source;
    this.#stop();
    this.#last = null;
    this.source = source;
    this.index = 0;
    this.play();
    void before?.close();
  }

  play(): void {
    const { source } = this;
    if (!source || this.playing) return;
    this.#jumped = true;
    // Kept before subscribing as well: a source may fail at once.
    const playing = this.#framesOf(source).subscribe({
      next: (frame) => this.#emit(frame),
      error: (error) => this.#fail(error),
      complete: () => this.pause(),
    });
    this.#playing = playing.closed ? null : playing;
    this.changed$.next();
  }

  #framesOf(source: Source) {
    if (!isRecording(source)) return source.frames$;
    const atEnd = this.index >= source.length - 1;
    return playOf(source, { start: atEnd ? 0 : this.index, loop: this.loop });
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

  /** Goes to a frame and stays there. A camera has none to go to. */
  seek(index: number): void {
    const { recording } = this;
    if (!recording) return;
    this.#stop();
    this.index = Math.min(Math.max(0, Math.round(index)), recording.length - 1);
    this.#wanted = this.index;
    this.#jumped = true;
    this.changed$.next();
    void this.#readWanted(recording);
  }

  /** Gives the last frame again: the stages refused it, and have been set anew. */
  again(): void {
    if (!this.playing && this.#last) this.frames$.next({ ...this.#last, jump: true });
  }

  async #readWanted(recording: Recording): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#wanted !== null && recording === this.source) {
        const index = this.#wanted;
        this.#wanted = null;
        const frame = await recording.read(index);
        if (recording === this.source && !this.playing) this.#emit(frame);
      }
    } catch (error) {
      if (recording === this.source) this.#fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #emit(frame: DepthFrame): void {
    const { index, fault } = frame;
    if (fault) this.unreadable$.next({ index, fault });
    else this.#last = frame;
    // While a slider is dragged the frames come behind it: it must not jump back to them.
    if (this.#wanted === null) this.index = index;
    this.frames$.next(this.#jumped ? { ...frame, jump: true } : frame);
    this.#jumped = false;
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
