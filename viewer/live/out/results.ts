import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { Player } from "../source/player.ts";

/** So long a frame of what plays is waited for, ms; then the last one is taken once more. */
const PATIENCE_MS = 1500;

interface Parts {
  readonly pipeline: Pick<Pipeline, "redraw">;
  readonly player: Pick<Player, "playing">;
  /** The picture has to be drawn anew: the results of the one on the screen are gone. */
  readonly invalidate: () => void;
}

type Reader<T> = (frame: ProcessedFrame) => Promise<T>;

/** Reads the results of a frame once, when somebody asks: of the next one while it plays, else of the last one once more. */
export class Results {
  #waiting: ((frame: ProcessedFrame) => void)[] = [];

  constructor(readonly parts: Parts) {}

  /** To be called with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    for (const take of this.#waiting.splice(0)) take(frame);
  }

  async read<T>(reader: Reader<T>): Promise<T> {
    const next = this.parts.player.playing ? this.#next(reader) : undefined;
    return (await next) ?? this.again(reader);
  }

  /** `undefined` where none comes. */
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

  /** Takes the last frame once more, through the stages as they are set now, and reads that. */
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
