import type { NdArray } from "ndarray";
import { type DepthArray, image } from "../../core/frame.ts";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { settingsOf } from "../../pipeline/settingsFile.ts";
import type { CpuPicture } from "../../stages/core/stage.ts";
import { colorPng, depthPng, meaning } from "../../write/index.ts";
import { Losses } from "../../write/losses.ts";
import { pointsPly } from "../../write/ply.ts";
import { inUnits } from "../../write/units.ts";
import { partialOf } from "../report/files.ts";
import { OwnFolder } from "../report/ownFolder.ts";
import type { RunResult } from "../request.ts";
import type { Output } from "./output.ts";
import { latencyOf } from "./report.ts";
import { inputsOf, type ReplayRequest } from "./request.ts";
import { hasRole } from "./settings.ts";

const NAMES = ["recording.json", "settings.json", "latency.json", "trace.json", "depth", "points", "view"];

/** The folder of `--out`. */
export class OutputFolder implements Output {
  readonly inOrder = false;
  #described: Promise<void> | undefined;
  /** The unit of all depth in the folder, from the first frame. */
  #unit: number | undefined;
  readonly #losses = new Losses();

  private constructor(
    /** The folder while the run goes on, OUT.partial, and the place of the whole results. */
    readonly folder: OwnFolder,
    readonly place: OwnFolder,
    readonly request: ReplayRequest,
  ) {}

  /** Throws a `UsageError` where the results must not be written. Changes nothing yet. */
  static async check(request: ReplayRequest, path: string): Promise<OutputFolder> {
    const claim = { names: NAMES, inputs: inputsOf(request), force: request.force };
    const place = await OwnFolder.check({ ...claim, path });
    const folder = await OwnFolder.check({ ...claim, path: partialOf(path.replace(/[\\/]+$/, "")) });
    return new OutputFolder(folder, place, request);
  }

  get wantsPoints(): boolean {
    return this.request.ply;
  }

  get wantsPicture(): boolean {
    return hasRole(this.request.chosen.stages, "picture");
  }

  get lost(): readonly string[] {
    return this.#losses.lines;
  }

  /** Creates the folders, so that an unwritable place is found before anything runs. */
  async begin(): Promise<void> {
    await this.folder.begin();
    await this.folder.mkdir("depth");
    if (this.wantsPoints) await this.folder.mkdir("points");
    if (this.wantsPicture) await this.folder.mkdir("view");
  }

  /** Writes a frame's results into files named by its index in the recording. */
  async write(
    frame: ProcessedFrame,
    fps: number,
    depth: DepthArray,
    points: NdArray<Float32Array> | undefined,
    picture: CpuPicture | undefined,
  ): Promise<void> {
    const { folder } = this;
    const name = String(frame.index).padStart(6, "0");
    // Written before any depth, so that the depth files of a killed run have their unit.
    this.#described ??= this.#describe(frame, fps);
    this.#losses.lens(frame.shape);
    const { metresPerUnit } = frame.shape;
    this.#unit ??= metresPerUnit;
    const written = inUnits({ depth, metresPerUnit }, this.#unit, this.#losses);
    await this.#described;
    await Promise.all([
      depthPng(written).then((png) => folder.write(`depth/${name}.png`, png)),
      this.wantsPoints && points && folder.write(`points/${name}.ply`, pointsPly(points)),
      picture && colorPng(colorOf(picture)).then((png) => folder.write(`view/${name}.png`, png)),
    ]);
  }

  /** Writes what concerns the whole run. */
  async finish(result: Omit<RunResult, "error" | "done">): Promise<void> {
    const { pipeline } = result;
    await this.#json("settings.json", settingsOf(pipeline));
    await this.#json("latency.json", latencyOf(this.request, result));
    await this.folder.write("trace.json", JSON.stringify(pipeline.trace));
    if (result.isWhole) await this.place.settle(this.folder.path);
  }

  /** Writes `recording.json`, which makes the folder a recording that can be opened again. */
  #describe({ shape: { metresPerUnit, intrinsics } }: ProcessedFrame, fps: number): Promise<void> {
    return this.#json("recording.json", { depth: "depth/*.png", ...meaning(fps, intrinsics, metresPerUnit) });
  }

  #json(name: string, value: unknown): Promise<void> {
    return this.folder.write(name, `${JSON.stringify(value, null, 2)}\n`);
  }
}

const colorOf = ({ rgba, width, height }: CpuPicture) =>
  image(new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.length), [height, width, 4]);
