import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { NdArray } from "ndarray";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { type DepthArray, image } from "../../sources/frame.ts";
import type { RecordedSource } from "../../sources/index.ts";
import { colorPng, depthPng } from "../../sources/write/index.ts";
import type { CpuPicture } from "../../stages/stage.ts";
import { writeWhole } from "./files.ts";
import { pointsPly } from "./ply.ts";
import type { ReplayRequest, ReplayResult } from "./replay.ts";
import { latencyOf } from "./report.ts";
import { settingsOf } from "./settings.ts";

/** The folder of `--out`. Every file in it is complete or not there. */
export class OutputFolder {
  private constructor(
    readonly path: string,
    readonly wantsPoints: boolean,
  ) {}

  /** Makes the folders, so that a place that cannot be written to is found before anything is run. */
  static async create(path: string, { ply, chosen }: Pick<ReplayRequest, "ply" | "chosen">): Promise<OutputFolder> {
    const pictures = chosen.stages.some((stage) => stage.name === "dofSplat");
    await mkdir(join(path, "depth"), { recursive: true });
    if (ply) await mkdir(join(path, "points"), { recursive: true });
    if (pictures) await mkdir(join(path, "view"), { recursive: true });
    return new OutputFolder(path, ply);
  }

  /** Files are named by the frame's index in the recording. */
  async write(
    { index }: ProcessedFrame,
    depth: DepthArray,
    points: NdArray<Float32Array> | undefined,
    picture: CpuPicture | undefined,
  ): Promise<void> {
    const name = String(index).padStart(6, "0");
    await Promise.all([
      depthPng(depth).then((png) => writeWhole(join(this.path, "depth", `${name}.png`), png)),
      this.wantsPoints && points && writeWhole(join(this.path, "points", `${name}.ply`), pointsPly(points)),
      picture && colorPng(colorOf(picture)).then((png) => writeWhole(join(this.path, "view", `${name}.png`), png)),
    ]);
  }

  /** Writes what is about the whole run. `recording.json` makes of the folder a recording that can be opened again. */
  async finish(request: ReplayRequest, recording: RecordedSource, result: Omit<ReplayResult, "error">): Promise<void> {
    const { pipeline, shape } = result;
    const write = (name: string, value: unknown) =>
      writeWhole(join(this.path, name), `${JSON.stringify(value, null, 2)}\n`);
    await write("settings.json", settingsOf(pipeline.stages));
    await write("latency.json", latencyOf(request, result));
    await writeWhole(join(this.path, "trace.json"), JSON.stringify(pipeline.trace));
    if (!shape) return;
    const { metresPerUnit, intrinsics } = shape;
    const { fx, fy, cx, cy } = intrinsics;
    await write("recording.json", { metresPerUnit, invalid: [0], fps: recording.fps, intrinsics: { fx, fy, cx, cy } });
  }
}

const colorOf = ({ rgba, width, height }: CpuPicture) =>
  image(new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.length), [height, width, 4]);
