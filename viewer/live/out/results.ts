import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { Player } from "../source/player.ts";

/** How long `read` waits for the next frame while frames play, ms, before it takes the last frame again. */
const PATIENCE_MS = 1500;

interface Parts {
  readonly pipeline: Pick<Pipeline, "redraw">;
  readonly player: Pick<Player, "playing">;
  /** Has the picture drawn again, after the results on the screen were overwritten. */
  readonly invalidate: () => void;
}

type Reader<T> = (frame: ProcessedFrame) => Promise<T>;

/** Reads results of one frame on request: of the next frame while frames play, else of the last frame. */
export class Results {
  #waiting: ((frame: ProcessedFrame) => void)[] = [];

  constructor(readonly parts: Parts) {}

  /** Call this with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    for (const take of this.#waiting.splice(0)) take(frame);
  }

  async read<T>(reader: Reader<T>): Promise<T> {
    const next = this.parts.player.playing ? this.#next(reader) : undefined;
    return (await next) ?? this.again(reader);
  }

  /** Resolves with `undefined` if no frame comes. */
  #next<T>(reader: Reader<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const take = (frame: ProcessedFrame) => {
        clearTimeout(timer);
        reader(frame).then(resolve, reject);
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== take);
        resolve(undefined);
      }, PATIENCE_MS);
      this.#waiting.push(take);
    });
  }

  /** Runs the last frame again through the stages as they are set now, and reads from it. */
  async again<T>(reader: Reader<T>): Promise<T> {
    const frame = await this.parts.pipeline.redraw();
    if (!frame) throw new Error("there is no frame yet: open a recording first");
    try {
      return await reader(frame);
    } finally {
      this.parts.invalidate();
    }
  }
}
