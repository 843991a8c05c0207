import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { image } from "../../core/frame.ts";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import { settingsOf } from "../../pipeline/settingsFile.ts";
import { isRecording, type RecordedSource, type Source } from "../../sources/index.ts";
import type { CpuPicture } from "../../stages/core/stage.ts";
import { type Meaning, poseOf, TIMES, timesText } from "../../write/frames.ts";
import { colorPng, depthPng, meaning } from "../../write/index.ts";
import { Losses } from "../../write/losses.ts";
import { pointsPly } from "../../write/ply.ts";
import { inUnits } from "../../write/units.ts";
import { partialOf, writeWhole } from "../report/files.ts";
import { OwnFolder } from "../report/ownFolder.ts";
import { goesOn, isUnfinished, settled } from "../report/unfinished.ts";
import type { RunResult } from "../request.ts";
import type { FrameResults, Output } from "./output.ts";
import { latencyOf } from "./report.ts";
import { identityOf, inputsOf, type ReplayRequest } from "./request.ts";
import { hasRole } from "./settings.ts";

/** Makes the folder a recording that can be opened again. */
const DESCRIPTION = "recording.json";
const NAMES = [DESCRIPTION, TIMES, "settings.json", "latency.json", "trace.json", "depth", "points", "view"];

/** The folder of `--out`. */
export class OutputFolder implements Output {
  readonly inOrder = false;
  #described: Promise<void> | undefined;
  /** The unit of all depth in the folder, from the first frame. */
  #unit: number | undefined;
  /** The frames of an earlier run, by the names of their files. */
  readonly #had = new Set<string>();
  readonly #losses = new Losses();
  /** The source of the frames, and the times of those that this run has written. */
  #source: Source | undefined;
  readonly #times = new Map<number, number>();

  private constructor(
    /** The folder while the run goes on, OUT.partial, and the place of the whole results. */
    readonly folder: OwnFolder,
    readonly place: OwnFolder,
    readonly isFree: () => Promise<OwnFolder>,
    readonly request: ReplayRequest,
  ) {}

  /** Throws a `RequestError` where the results must not be written. Changes nothing yet. */
  static async check(request: ReplayRequest, path: string): Promise<OutputFolder> {
    const claim = { names: NAMES, inputs: inputsOf(request), force: request.force };
    const isFree = () => OwnFolder.check({ ...claim, path });
    const place = await isFree();
    const partial = partialOf(path.replace(/[\\/]+$/, ""));
    const folder = await OwnFolder.check({ ...claim, path: partial, force: request.force || isUnfinished(partial) });
    return new OutputFolder(folder, place, isFree, request);
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

  get had(): number {
    return this.#had.size;
  }

  has(index: number): boolean {
    return this.#had.has(nameOf(index));
  }

  /** Creates the folders, so that an unwritable place is found before anything runs; or keeps the whole frames of an earlier run. */
  async begin(pipeline: Pipeline, source: Source): Promise<void> {
    const { folder, isFree, request } = this;
    const { force, isAgain } = request;
    let cleared = false;
    const clear = () => {
      cleared = true;
      return folder.begin();
    };
    this.#source = source;
    const same = await identityOf(request, source, pipeline);
    if (await goesOn(folder.path, { same, force, isAgain, isFree, clear })) await this.#resume();
    else if (!cleared) await folder.begin();
    await folder.mkdir("depth");
    if (this.wantsPoints) await folder.mkdir("points");
    if (this.wantsPicture) await folder.mkdir("view");
  }

  /** Keeps the frames that have all of their files, and what says the unit of their depth. */
  async #resume(): Promise<void> {
    const there = new Set(await this.folder.whole());
    const kinds = [
      "depth/*.png",
      ...(this.wantsPoints ? ["points/*.ply"] : []),
      ...(this.wantsPicture ? ["view/*.png"] : []),
    ];
    const filesOf = (name: string) => kinds.map((kind) => kind.replace("*", name));
    const names = [...there].flatMap((path) => /^depth\/(\d+)\.png$/.exec(path)?.[1] ?? []);
    if (there.has(DESCRIPTION))
      for (const name of names) if (filesOf(name).every((path) => there.has(path))) this.#had.add(name);
    await this.folder.resume(new Set(this.had > 0 ? [DESCRIPTION, ...[...this.#had].flatMap(filesOf)] : []));
    if (this.had === 0) return;
    const { metresPerUnit }: Meaning = JSON.parse(await readFile(join(this.folder.path, DESCRIPTION), "utf8"));
    this.#unit = metresPerUnit;
    this.#described = Promise.resolve();
  }

  /** Writes a frame's results into files named by its index in the recording. */
  async write({ frame, fps, depth, points, picture }: FrameResults): Promise<void> {
    const { folder } = this;
    const name = nameOf(frame.index);
    this.#times.set(frame.index, frame.timestamp);
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
    if (!result.isWhole) return;
    await this.#keepTimes();
    await this.place.settle(this.folder.path);
    await settled(this.folder.path);
  }

  /** Writes the times and poses of all frames in the folder, in the order of their files, and has `recording.json` name them. */
  async #keepTimes(): Promise<void> {
    const recording = this.#source && isRecording(this.#source) ? (this.#source as RecordedSource) : undefined;
    for (const name of this.#had) {
      const index = Number(name);
      this.#times.set(index, recording?.timestampOf?.(index) ?? (1000 * index) / (recording?.fps ?? 1));
    }
    const sorted = [...this.#times].sort(([a], [b]) => a - b);
    if (sorted.length === 0) return;
    const rows: Parameters<typeof timesText>[0][number][] = [];
    // One after the other, since each pose may be a file.
    for (const [index, time] of sorted) rows.push([time, recording && (await poseOf(recording, index))]);
    await this.folder.write(TIMES, timesText(rows));
    // Only a whole recording names its times: a part of one opens without them.
    const path = join(this.folder.path, DESCRIPTION);
    const described = JSON.parse(await readFile(path, "utf8"));
    await writeWhole(path, textOf({ ...described, times: TIMES }));
  }

  /** Writes `recording.json`, which makes the folder a recording that can be opened again. */
  #describe({ shape: { metresPerUnit, intrinsics } }: ProcessedFrame, fps: number): Promise<void> {
    return this.#json(DESCRIPTION, { depth: "depth/*.png", ...meaning(fps, intrinsics, metresPerUnit) });
  }

  #json(name: string, value: unknown): Promise<void> {
    return this.folder.write(name, textOf(value));
  }
}

const textOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const nameOf = (index: number) => String(index).padStart(6, "0");

const colorOf = ({ rgba, width, height }: CpuPicture) =>
  image(new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.length), [height, width, 4]);
