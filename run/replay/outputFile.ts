import { rename, rm } from "node:fs/promises";
import { FilteredFrames, placed } from "../../pipeline/filtered.ts";
import type { Pipeline } from "../../pipeline/index.ts";
import { settingsOf } from "../../pipeline/settingsFile.ts";
import type { Source } from "../../sources/index.ts";
import { Losses } from "../../write/losses.ts";
import { LIBRARY } from "../../write/recorder.ts";
import { type ResumedMcap, resumeMcap } from "../convert/toMcap.ts";
import { RequestError } from "../report/failure.ts";
import { partialOf } from "../report/files.ts";
import { checkOwnFile, type FileClaim } from "../report/ownFile.ts";
import { goesOn, isUnfinished, settled } from "../report/unfinished.ts";
import type { RunResult } from "../request.ts";
import type { FrameResults, Output } from "./output.ts";
import { identityOf, inputsOf, type ReplayRequest } from "./request.ts";

/**
 * The MCAP file of `--out`: a playable recording from its first chunk on, whatever ends the run. The file is called FILE.mcap.partial until
 * the run is whole.
 */
export class OutputFile implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  /** Set until the pipeline's settings have been written. */
  #pipeline: Pipeline | undefined;
  #filtered: FilteredFrames | undefined;
  readonly #losses = new Losses();
  #file: ResumedMcap | undefined;

  private constructor(
    readonly request: ReplayRequest,
    readonly claim: FileClaim,
  ) {}

  static async check(request: ReplayRequest, path: string): Promise<OutputFile> {
    if (request.ply)
      throw new RequestError(
        `ply: it writes into a folder, and ${path} is a file: leave out one of them`,
        undefined,
        "ply",
      );
    const claim = { path, inputs: inputsOf(request), force: request.force, mark: LIBRARY };
    await checkOwnFile(claim);
    const partial = partialOf(path);
    await checkOwnFile({ ...claim, path: partial, force: request.force || isUnfinished(partial) });
    return new OutputFile(request, claim);
  }

  get kept(): number {
    return this.#file ? this.had + this.#file.recorder.kept : 0;
  }

  get lost(): readonly string[] {
    return this.#losses.lines;
  }

  get had(): number {
    return this.#file?.had ?? 0;
  }

  has(index: number): boolean {
    return index <= (this.#file?.last ?? -1);
  }

  async begin(pipeline: Pipeline, source: Source): Promise<void> {
    const { force, isAgain, raw } = this.request;
    const partial = partialOf(this.claim.path);
    if (!raw) this.#filtered = FilteredFrames.of(pipeline);
    const same = await identityOf(this.request, source, pipeline);
    await goesOn(partial, { same, force, isAgain, isFree: () => checkOwnFile(this.claim), clear: () => rm(partial) });
    this.#file = await resumeMcap(partial, { losses: this.#losses });
    // The settings follow on the first frame.
    if (this.had < 2) this.#pipeline = pipeline;
  }

  async write({ frame, depth, pose }: FrameResults): Promise<void> {
    const { recorder } = this.#begun;
    const { source, timestamp } = frame;
    const filtered = this.#filtered && { ...this.#filtered.of(frame), depth };
    await recorder.frame(placed(filtered ?? source, pose));
    if (this.#pipeline) await recorder.settings(settingsOf(this.#pipeline));
    this.#pipeline = undefined;
    const timing = await frame.timing;
    if (!timing) return;
    const stages = [...timing.stages, { name: "frame", ms: timing.totalMs }];
    await recorder.latency(timestamp, stages);
  }

  async finish({ isWhole }: Pick<RunResult, "isWhole">): Promise<void> {
    await this.#begun.close();
    if (!isWhole) return;
    await rename(partialOf(this.claim.path), this.claim.path);
    await settled(partialOf(this.claim.path));
  }

  get #begun() {
    if (!this.#file) throw new Error("the file was not begun");
    return this.#file;
  }
}
