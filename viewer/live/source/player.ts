import { Subject, Subscription, tap } from "rxjs";
import { type DepthFrame, framesOf, isRecording, playOf, type Recording, type Source } from "../../../sources/index.ts";
import type { Settings } from "../state/store.ts";
import { alone, type Playback } from "./playback.ts";
import { type Reading, readingOf, timed, withFaults } from "./readings.ts";

const same = async (frame: DepthFrame) => frame;

/** Plays one source at a time into one stream of frames that never ends. The player can pause, change the source, and show any frame. */
export class Player {
  readonly frames$ = new Subject<DepthFrame>();
  /** Emits when something changes that the transport shows. */
  readonly changed$ = new Subject<void>();
  /** A frame that could not be read, and was left out. */
  readonly unreadable$ = new Subject<{ readonly index: number; readonly fault: Error }>();
  /** How long it took to read and decode a frame. */
  readonly read$ = new Subject<Reading>();
  /** Emits the error of a source that has failed. The player stops, and the last picture stays. */
  readonly failed$ = new Subject<unknown>();
  /** Playing has come to the last frame and ended there. */
  readonly ended$ = new Subject<void>();
  readonly #tell = (reading?: Reading) => reading && this.read$.next(reading);
  source: Source | null = null;
  /** The frame that was emitted or asked for last, and the one that is on the screen. */
  #at = 0;
  #seen = 0;
  #playing: Subscription | null = null;
  #last: DepthFrame | null = null;
  /** The source of each frame that the player has emitted. */
  readonly #given = new WeakMap<DepthFrame, Source>();
  /** Whether the stream jumps between the last frame and the next one. */
  #jumped = true;
  /** The frame that `seek` was asked for last. While one frame is read, only the newest request counts. */
  #wanted: number | null = null;
  #reading = false;
  /** Ends `walk`. */
  #endWalk: (() => void) | undefined;
  /** How often playing has begun. */
  #began = 0;
  #waitsAtEnd = false;
  isMeant = true; // whether settings of places in a source are for the present one: the first, or the one of a link

  constructor(readonly settings: Settings<Playback> = alone().part("rate", "loop", "inPoint", "outPoint")) {
    // Playing continues from the present frame.
    settings.changes$.subscribe(() => {
      this.#playOn();
      this.changed$.next();
    });
  }

  /** Whether playing ends at the last frame, also with `loop`: a recording that plays beside may not have come to its end. */
  set waitsAtEnd(on: boolean) {
    if (on === this.#waitsAtEnd) return;
    this.#waitsAtEnd = on;
    if (this.playback.loop) this.#playOn();
  }

  /** Plays on from the present frame in another way. */
  #playOn(): void {
    if (!this.playing || !this.recording) return;
    this.#stop();
    this.play();
  }

  /** The settings for playing. */
  get playback(): Readonly<Playback> {
    return this.settings.now;
  }

  /**
   * The number of the frame that the user looks at, from 0: while frames play the one on the screen, which lags behind what is emitted;
   * else the one that was asked for.
   */
  get index(): number {
    return this.playing ? this.#seen : this.#at;
  }

  /** Tells the player which of its frames is on the screen. */
  shows(frame: DepthFrame): void {
    if (this.#given.get(frame) === this.source) this.#seen = frame.index;
  }

  /** The frame that was emitted last. */
  get frame(): DepthFrame | null {
    return this.#last;
  }

  /** The source, if it is a recording; `null` for a camera. */
  get recording(): Recording | null {
    return this.source && isRecording(this.source) ? this.source : null;
  }

  get playing(): boolean {
    return this.#playing !== null;
  }

  /** Whether a frame that `seek` or `walk` asked for has not been emitted yet. */
  get reading(): boolean {
    return this.#reading || this.#wanted !== null || this.#endWalk !== undefined;
  }

  /** The first and the last frame to play, within the recording's length. */
  get part(): readonly [first: number, last: number] {
    const end = Math.max(0, (this.recording?.length ?? 1) - 1);
    const { inPoint, outPoint } = this.playback;
    // A link may set any number.
    const last = outPoint >= 0 ? Math.min(end, Math.round(outPoint)) : end;
    return [Math.min(Math.max(0, Math.round(inPoint) || 0), last), last];
  }

  /** Closes the source and plays another one; a recording starts at its in point. `isNamed`: the settings come from a link to it. */
  open(source: Source, isNamed = false): void {
    const before = this.source;
    this.#stop();
    this.#last = null;
    this.source = source;
    this.isMeant = isNamed || before === null;
    if (!this.isMeant) this.set({ inPoint: 0, outPoint: -1 });
    this.#at = this.part[0];
    this.play();
    void before?.close();
  }

  play(): void {
    const { source } = this;
    if (!source || this.playing) return;
    this.#stop();
    this.#jumped = true;
    this.#began++;
    this.#seen = this.#at;
    // A source may give frames, end or fail while it is being subscribed to, and a frame may make the user's page pause.
    this.#playing = new Subscription();
    this.#playing.add(
      this.#framesOf(source).subscribe({
        next: (frame) => this.#emit(frame),
        error: (error) => this.#fail(error),
        complete: () => this.#end(),
      }),
    );
    this.changed$.next();
  }

  #framesOf(source: Source) {
    if (!isRecording(source)) return source.frames$.pipe(tap((frame) => this.#tell(readingOf(frame))));
    const loop = this.playback.loop && !this.#waitsAtEnd;
    const rate = Math.min(100, Math.max(0.01, this.playback.rate || 1));
    const [from, to] = this.part;
    const start = this.#at < from || this.#at >= to ? from : this.#at;
    // One frame that played in a loop would keep the processor busy with the same picture.
    return playOf(timed(source, this.#tell), { start, from, to, rate, loop: loop && from < to });
  }

  #end(): void {
    this.#stop();
    this.ended$.next();
    this.changed$.next();
  }

  pause(): void {
    this.#stop();
    this.changed$.next();
    if (!this.#last) this.seek(this.#at); // a page that is paused before its first frame would stay empty
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Changes the settings for playing. */
  set(changes: Partial<Playback>): void {
    this.settings.update(changes);
  }

  /** Starts the loop at this frame; at the recording's start, if the loop started here already. */
  markIn(): void {
    const { playback, index } = this;
    const inPoint = playback.inPoint === index ? 0 : index;
    this.set({ inPoint, outPoint: playback.outPoint < inPoint ? -1 : playback.outPoint });
  }

  /** Ends the loop at this frame; at the recording's end, if the loop ended here already. */
  markOut(): void {
    const { playback, index } = this;
    const outPoint = playback.outPoint === index ? -1 : index;
    this.set({ outPoint, inPoint: outPoint >= 0 && playback.inPoint > outPoint ? 0 : playback.inPoint });
  }

  /** Stops playing and shows a frame. Does nothing for a camera. */
  seek(index: number): void {
    const { recording } = this;
    if (!recording) return;
    this.#stop();
    this.#at = Math.min(Math.max(0, Math.round(index)), recording.length - 1);
    this.#wanted = this.#at;
    this.#jumped = true;
    this.changed$.next();
    void this.#readWanted(recording);
  }

  /**
   * Stops playing, and shows the frames from `first` to `last` in order, each when the promise that `taken` returned for the one before has
   * settled. A frame that cannot be read has a `fault`. Resolves at the end, or when something else is to be shown: `pause`, `play`, `seek`
   * and `open` end the walk. `as` makes another frame of each before it is shown.
   */
  async walk(first: number, last: number, taken: (frame: DepthFrame) => Promise<unknown>, as = same): Promise<void> {
    const { recording } = this;
    if (!recording) return;
    this.#stop();
    this.#jumped = true;
    this.#began++;
    const watched = timed(recording, this.#tell);
    const read = async (index: number) => as(await watched.read(index));
    const frames$ = framesOf(withFaults({ ...watched, read }), { start: first, count: last - first + 1 });
    try {
      await new Promise<void>((resolve, reject) => {
        const walking = new Subscription(resolve);
        this.#endWalk = () => walking.unsubscribe();
        this.changed$.next();
        walking.add(
          frames$.subscribe({
            next: (frame) => frame.waitUntil?.(taken(this.#emit(frame))),
            error: reject,
            complete: () => this.#stop(),
          }),
        );
      });
    } catch (error) {
      if (recording === this.source) this.#fail(error);
    }
    this.changed$.next();
  }

  /** Emits the last frame again, after the stages refused it and their settings have changed. */
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
        const frame = await timed(recording, this.#tell).read(index);
        // A frame that played in the meantime is newer.
        if (recording === this.source && began === this.#began) this.#emit(frame);
      }
    } catch (error) {
      // While a slider is dragged over a damaged frame, the frames after it count.
      if (recording === this.source && this.#wanted === null) this.#fail(error);
    } finally {
      this.#reading = false;
    }
    // `seek` was called for this recording while a frame of the one before was still being read.
    if (this.#wanted !== null && this.recording) void this.#readWanted(this.recording);
  }

  /** Emits a frame, and returns it as it was emitted. */
  #emit(frame: DepthFrame): DepthFrame {
    const { index, fault } = frame;
    if (fault) this.unreadable$.next({ index, fault });
    else this.#last = frame;
    // While the user drags the slider, frames arrive late: they must not move the slider back.
    if (this.#wanted === null) this.#at = index;
    const given = this.#jumped ? { ...frame, jump: true } : frame;
    this.#jumped = false;
    this.#give(given);
    this.changed$.next();
    return given;
  }

  #give(frame: DepthFrame): void {
    if (this.source) this.#given.set(frame, this.source);
    this.frames$.next(frame);
  }

  /** The source that a frame came from. A frame that waited in the stream while another source was opened comes from the earlier source. */
  sourceOf(frame: DepthFrame): Source | undefined {
    return this.#given.get(frame);
  }

  #stop(): void {
    this.#playing?.unsubscribe();
    this.#playing = null;
    this.#wanted = null;
    const endWalk = this.#endWalk;
    this.#endWalk = undefined;
    endWalk?.();
  }

  #fail(error: unknown): void {
    this.#stop();
    this.changed$.next();
    this.failed$.next(error);
  }
}
