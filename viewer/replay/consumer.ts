import { createHash } from "node:crypto";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { countValid, type DepthArray } from "../../sources/frame.ts";
import type { Output } from "./output.ts";
import type { OutputLog } from "./outputLog.ts";
import type { ReplayRequest } from "./request.ts";
import { hasRole } from "./settings.ts";

/** What a replay does with each processed frame: copies results to the CPU, hashes them, writes them. The first failure stops it. */
export class FrameConsumer {
  readonly #pending = new Set<Promise<void>>();
  readonly #hasPoints: boolean;
  readonly #hasPicture: boolean;
  /** Frames of which all is done. */
  done = 0;
  #error: unknown;
  #last: Promise<void> = Promise.resolve();

  constructor(
    readonly request: ReplayRequest,
    /** Nominal, of the source. */
    readonly fps: number,
    readonly folder: Output | undefined,
    readonly outputs: OutputLog,
    readonly stop: () => void,
  ) {
    this.#hasPoints = hasRole(request.chosen.stages, "points");
    this.#hasPicture = hasRole(request.chosen.stages, "picture");
  }

  get error(): unknown {
    return this.#error;
  }

  /** Remembers the first failure and stops the stream. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.stop();
  }

  /**
   * To be called synchronously with a frame; resolves, never rejects, when nothing of it is needed any more. `write`: into the
   * folder too.
   */
  take(frame: ProcessedFrame, write: boolean): Promise<void> {
    const folder = write ? this.folder : undefined;
    const work = this.#work(frame, folder, folder?.inOrder ? this.#last : undefined).catch((error) => this.fail(error));
    this.#last = work;
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #work(frame: ProcessedFrame, folder: Output | undefined, before: Promise<void> | undefined): Promise<void> {
    const wantsOutputs = this.request.outputs;
    const record = wantsOutputs ? this.outputs.place() : undefined;
    // All copies are asked for before the first await: the next frame overwrites what they copy.
    const [depth, points, picture] = await Promise.all([
      wantsOutputs || folder ? frame.readDepth() : undefined,
      this.#hasPoints && (wantsOutputs || folder?.wantsPoints) ? frame.readPoints() : undefined,
      this.#hasPicture && folder?.wantsPicture ? frame.readPicture() : undefined,
      // Not used here; when it is told, the pipeline's statistics are about to have it.
      frame.timing,
    ]);
    await before;
    if (folder && depth) await folder.write(frame, this.fps, depth, points, picture);
    this.done++;
    if (!depth || !record) return;
    record({
      index: frame.index,
      timestamp: frame.timestamp,
      validIn: countValid(frame.source.depth),
      validOut: countValid(depth),
      points: points ? points.shape[0] : null,
      depthSha256: sha256Of(depth),
    });
  }
}

/** Over little-endian u16, as every machine that Node runs on has them in memory. */
function sha256Of({ data }: DepthArray): string {
  return createHash("sha256")
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest("hex");
}
