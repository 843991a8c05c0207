import { createHash } from "node:crypto";
import { countValid, type DepthArray } from "../../core/frame.ts";
import type { CameraPose, ProcessedFrame } from "../../pipeline/index.ts";
import { POSE_STATES, type PoseStateName } from "../../stages/core/pose.ts";
import type { CameraCounts, RunRequest } from "../request.ts";
import type { Output } from "./output.ts";
import type { OutputLog } from "./outputLog.ts";
import type { PoseFile } from "./poseFile.ts";

import { hasRole } from "./settings.ts";

/**
 * Handles each processed frame of a replay: reads results back to the CPU, hashes them, writes them. The first failure stops the replay.
 */
export class FrameConsumer {
  readonly #pending = new Set<Promise<void>>();
  readonly #hasPoints: boolean;
  readonly #hasPicture: boolean;
  readonly #hasPose: boolean;
  readonly #camera: CameraCounts = { still: 0, moved: 0, lost: 0, anew: 0 };
  /** The number of frames completely handled. */
  done = 0;
  #error: unknown;
  #last: Promise<void> = Promise.resolve();

  constructor(
    readonly request: Pick<RunRequest, "chosen" | "outputs">,
    /** The source's nominal frames per second. */
    readonly fps: number,
    readonly folder: Output | undefined,
    readonly outputs: OutputLog,
    readonly stop: () => void,
    readonly poses?: PoseFile,
  ) {
    this.#hasPose = request.chosen.stages.some(({ gives }) => gives === "pose");
    this.#hasPoints = hasRole(request.chosen.stages, "points");
    this.#hasPicture = hasRole(request.chosen.stages, "picture");
  }

  /** Counts of the camera's states; `undefined` if no stage finds poses or nobody asked for them. */
  get camera(): CameraCounts | undefined {
    return Object.values(this.#camera).some((count) => count > 0) ? this.#camera : undefined;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Keeps the first failure and stops the stream. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.stop();
  }

  /**
   * Call it synchronously with a frame. It resolves, and never rejects, when the frame is no longer needed. `write` says whether to write
   * its results to the output, too.
   */
  take(frame: ProcessedFrame, write: boolean): Promise<void> {
    const folder = write && !this.folder?.has?.(frame.index) ? this.folder : undefined;
    const poses = write ? this.poses : undefined;
    const work = this.#work(frame, folder, poses, folder?.inOrder ? this.#last : undefined).catch((error) =>
      this.fail(error),
    );
    this.#last = work;
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #count({ state, anew }: CameraPose): PoseStateName {
    const name = POSE_STATES[state];
    if (anew) this.#camera.anew++;
    this.#camera[name]++;
    return name;
  }

  async #work(
    frame: ProcessedFrame,
    folder: Output | undefined,
    poses: PoseFile | undefined,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const wantsOutputs = this.request.outputs;
    const record = wantsOutputs ? this.outputs.place() : undefined;
    const found = this.#hasPose && (wantsOutputs || folder || poses) ? frame.readPose() : undefined;
    const posed = found && Promise.all([found, poses?.write(frame.timestamp, found)]);
    // All copies are requested before the first await, because the next frame overwrites their sources.
    const [depth, points, count, picture, , pose] = await Promise.all([
      wantsOutputs || folder ? frame.readDepth() : undefined,
      this.#hasPoints && folder?.wantsPoints ? frame.readPoints() : undefined,
      // Copies of points would be megabytes of garbage a frame.
      this.#hasPoints && wantsOutputs ? frame.readPointCount() : undefined,
      this.#hasPicture && folder?.wantsPicture ? frame.readPicture() : undefined,
      // Awaited only so that the pipeline's statistics include this frame.
      frame.timing,
      posed?.then(([one]) => one),
    ]);
    const became = pose && this.#count(pose);
    await before;
    if (folder && depth) await folder.write({ frame, fps: this.fps, depth, points, picture, pose });
    this.done++;
    if (!depth || !record) return;
    record({
      index: frame.index,
      timestamp: frame.timestamp,
      validIn: countValid(frame.source.depth),
      validOut: countValid(depth),
      points: count ?? null,
      depthSha256: sha256Of(depth),
      ...(became && { camera: became }),
    });
  }
}

/** Hashes little-endian u16: all machines that Node runs on store them so. */
function sha256Of({ data }: DepthArray): string {
  return createHash("sha256")
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest("hex");
}
