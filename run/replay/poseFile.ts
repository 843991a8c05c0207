import { type FileHandle, open } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { type CameraPose, POSE_STATE } from "../../pipeline/index.ts";
import { poseLine } from "../../write/tum.ts";
import { RequestError } from "../report/failure.ts";
import { checkWritable } from "../report/files.ts";
import { checkOwnFile } from "../report/ownFile.ts";
import { inputsOf, type ReplayRequest } from "./request.ts";

/** The first lines of a file of poses. */
export const POSES_HEAD = "# depthloom: the camera's poses, camera to world\n# timestamp tx ty tz qx qy qz qw\n";

const ANEW = "# the camera was lost here: nothing ties the places below to those above\n";

/** The file of `--poses`: the lines of the TUM benchmark's trajectories, in seconds and metres. */
export class PoseFile {
  #file: FileHandle | undefined;
  /** The lines are written one after the other, in the order of the frames. */
  #last: Promise<void> = Promise.resolve();
  #hasLines = false;
  #isAnew = false;

  private constructor(readonly path: string) {}

  /** Throws a `RequestError` where the file must not be written. Changes nothing yet. */
  static async check(request: ReplayRequest): Promise<PoseFile | undefined> {
    const { poses: path, force, out } = request;
    if (path === undefined) return undefined;
    await checkOwnFile({ path, inputs: inputsOf(request), force, mark: "# depthloom" });
    if (out !== undefined && resolve(path).startsWith(resolve(out) + sep))
      throw new RequestError(`${path}: ${out} is replaced by the results: give the poses a place outside of it`);
    await checkWritable(path);
    return new PoseFile(path);
  }

  async begin(): Promise<void> {
    this.#file = await open(this.path, "w");
    await this.#file.write(POSES_HEAD);
  }

  /** Call it in the order of the frames. A frame whose camera is lost gets no line; a comment says where places begin anew. */
  write(timestamp: number, pose: Promise<CameraPose>): Promise<void> {
    const before = this.#last;
    const work = async () => {
      const { state, toWorld, anew } = await pose;
      await before;
      this.#isAnew ||= anew && this.#hasLines;
      if (state === POSE_STATE.lost) return;
      const line = poseLine({ timestamp, toWorld });
      await this.#file?.write(this.#isAnew ? ANEW + line : line);
      this.#hasLines = true;
      this.#isAnew = false;
    };
    this.#last = work();
    return this.#last;
  }

  async finish(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#file?.close();
  }
}
