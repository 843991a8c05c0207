import { Subject, type Subscription } from "rxjs";
import { type DepthFrame, isRecording, playOf, type Recording, type Source } from "../../../sources/index.ts";
import { type Settings, Store } from "../state/store.ts";

/** How a recording is played. */
export interface Playback {
  /** 2 is twice as fast as it was recorded. */
  rate: number;
  /** Begins again at the end. */
  loop: boolean;
  /** The first and the last frame of what plays; −1 is the recording's last. */
  inPoint: number;
  outPoint: number;
}

/** Alone, without a page. */
const alone = () => new Store<Playback>({ rate: 1, loop: true, inPoint: 0, outPoint: -1 });

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
  #playing: Subscription | null = null;
  #last: DepthFrame | null = null;
  /** Of which source each frame that was given came. */
  readonly #given = new WeakMap<DepthFrame, Source>();
  /** The next frame does not follow the last one. */
  #jumped = true;
  /** Of several frames asked for while one is being read only the newest is read. */
  #wanted: number | null = null;
  #reading = false;
  /** How often playing began. */
  #began = 0;

  constructor(readonly settings: Settings<Playback> = alone().part("rate", "loop", "inPoint", "outPoint")) {
    // What plays goes on from where it is.
    settings.changes$.subscribe(() => {
      if (this.playing && this.recording) {
        this.#stop();
        this.play();
      }
      this.changed$.next();
    });
  }

  /** How a recording is played now. */
  get playback(): Readonly<Playback> {
    return this.settings.now;
  }

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

  /** A frame that was asked for by `seek` has not been given yet. */
  get reading(): boolean {
    return this.#reading || this.#wanted !== null;
  }

  /** The first and the last frame of what plays, whatever the points are set to. */
  get part(): readonly [first: number, last: number] {
    const end = Math.max(0, (this.recording?.length ?? 1) - 1);
    const { inPoint, outPoint } = this.playback;
    // An address may say anything.
    const last = outPoint >= 0 ? Math.min(end, Math.round(outPoint)) : end;
    return [Math.min(Math.max(0, Math.round(inPoint) || 0), last), last];
  }

  /** Plays another source, a recording from its in point, and closes the one before. */
  open(source: Source): void {
    const before = this.source;
    this.#stop();
    this.#last = null;
    this.source = source;
    if (before) this.set({ inPoint: 0, outPoint: -1 });
    this.index = this.part[0];
    this.play();
    void before?.close();
  }

  play(): void {
    const { source } = this;
    if (!source || this.playing) return;
    this.#jumped = true;
    this.#began++;
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
    const { loop } = this.playback;
    const rate = Math.min(100, Math.max(0.01, this.playback.rate || 1));
    const [from, to] = this.part;
    const start = this.index < from || this.index >= to ? from : this.index;
    return playOf(source, { start, from, to, rate, loop });
  }

  pause(): void {
    this.#stop();
    this.changed$.next();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Sets how to play. */
  set(changes: Partial<Playback>): void {
    this.settings.update(changes);
  }

  /** Begins each time round here from now on, or where the recording does if it was here already. */
  markIn(): void {
    const { playback, index } = this;
    const inPoint = playback.inPoint === index ? 0 : index;
    this.set({ inPoint, outPoint: playback.outPoint < inPoint ? -1 : playback.outPoint });
  }

  /** Ends each time round here from now on, or where the recording does if it was here already. */
  markOut(): void {
    const { playback, index } = this;
    const outPoint = playback.outPoint === index ? -1 : index;
    this.set({ outPoint, inPoint: outPoint >= 0 && playback.inPoint > outPoint ? 0 : playback.inPoint });
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
    if (!this.playing && this.#last) this.#give({ ...this.#last, jump: true });
  }

  async #readWanted(recording: Recording): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#wanted !== null && recording === this.source) {
        const index = this.#wanted;
        this.#wanted = null;
        const began = this.#began;
        const frame = await recording.read(index);
        // What has played since then is newer.
        if (recording === this.source && began === this.#began) this.#emit(frame);
      }
    } catch (error) {
      if (recording === this.source) this.#fail(error);
    } finally {
      this.#reading = false;
    }
    // Asked for while the one before was still being read from another.
    if (this.#wanted !== null && this.recording) void this.#readWanted(this.recording);
  }

  #emit(frame: DepthFrame): void {
    const { index, fault } = frame;
    if (fault) this.unreadable$.next({ index, fault });
    else this.#last = frame;
    // While a slider is dragged the frames come behind it: it must not jump back to them.
    if (this.#wanted === null) this.index = index;
    this.#give(this.#jumped ? { ...frame, jump: true } : frame);
    this.#jumped = false;
    this.changed$.next();
  }

  #give(frame: DepthFrame): void {
    if (this.source) this.#given.set(frame, this.source);
    this.frames$.next(frame);
  }

  /** The source that a frame came from: another than the one that plays, where it waited in the stream while that was opened. */
  sourceOf(frame: DepthFrame): Source | undefined {
    return this.#given.get(frame);
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
