import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";

/**
 * Takes every frame of a recording from In to Out through the stages, in order, and keeps something of each. The next frame is shown when
 * the one before is kept, so that none is left out, however long keeping takes.
 */
export class EveryFrame {
  /** How many frames are kept, and how many could not be read. */
  kept = 0;
  unreadable = 0;
  readonly first: number;
  /** How many frames there are from In to Out. */
  readonly count: number;
  #waiting: { readonly frame: DepthFrame; readonly done: () => void } | undefined;
  /** Resolves when what is being kept is kept. */
  #keeping: Promise<void> = Promise.resolve();
  #walking = false;
  #stopped = false;
  #error: unknown;

  constructor(
    readonly player: Pick<Player, "part" | "walk" | "pause">,
    /** Called synchronously with each frame when it is handed out. */
    readonly keep: (frame: ProcessedFrame) => Promise<unknown>,
    /** Makes another frame of each before it is shown. */
    readonly as?: (frame: DepthFrame) => Promise<DepthFrame>,
  ) {
    const [first, last] = player.part;
    this.first = first;
    this.count = last - first + 1;
  }

  /** Resolves at the end, or when something else is shown or `stop` was called. Rejects if a frame cannot be kept. */
  async run(): Promise<void> {
    if (this.#stopped) return;
    this.#walking = true;
    await this.player.walk(this.first, this.first + this.count - 1, (frame) => this.#taken(frame), this.as);
    this.#walking = false;
    this.#waiting = undefined;
    await this.#keeping;
    if (this.#error !== undefined) throw this.#error;
  }

  /** Whether this is the frame that is to be kept next; frames that played before may still come. */
  awaits({ source }: Pick<ProcessedFrame, "source">): boolean {
    return this.#waiting?.frame === source;
  }

  /** Call this with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    const waiting = this.#waiting;
    if (!waiting || !this.awaits(frame)) return;
    this.#waiting = undefined;
    const fail = (error: unknown) => {
      this.#error ??= error;
      this.stop();
    };
    this.#keeping = this.keep(frame)
      .then(() => this.kept++)
      .catch(fail)
      .then(waiting.done);
  }

  /** Ends early, or before it began; the frames written until now are kept. */
  stop(): void {
    this.#stopped = true;
    if (this.#walking) this.player.pause();
  }

  #taken(frame: DepthFrame): Promise<void> {
    if (frame.fault) {
      this.unreadable++;
      return Promise.resolve();
    }
    return new Promise((done) => {
      this.#waiting = { frame, done };
    });
  }
}
