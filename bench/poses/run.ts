import { writeFileSync } from "node:fs";
import { type FrameShape, sameShape, shapeOf } from "../../core/frame.ts";
import { poseBetween, type Rigid, straighten } from "../../core/pose.ts";
import { applyNoise, noiseOf } from "../../pipeline/noise.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { RequestError } from "../../run/report/failure.ts";
import { openRecording, type RecordedSource } from "../../sources/index.ts";
import { POSE_STATE, POSE_STATES } from "../../stages/core/pose.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { machineHere } from "../machine.ts";
import type { PosesOptions } from "../options.ts";
import { Twins } from "../twins.ts";
import { type PoseRow, type PosesReport, textOf } from "./report.ts";
import { type PosePair, trajectoryError } from "./trajectory.ts";

/** Scores the camera's poses that track finds against the recordings' own; prints a table or JSON, and writes the file asked for. */
export async function runPoses(options: PosesOptions, log: (line: string) => void): Promise<number> {
  const { recordings, json, out } = options;
  const rows: PoseRow[] = [];
  const report = (): PosesReport => ({ machine: machineHere(), shiftS: options.shift ?? 0, recordings: rows });
  for (const path of recordings) {
    const recording = await openRecording(path);
    try {
      log(`${path}: ${Math.min(recording.length, options.frames ?? Infinity)} frames`);
      rows.push(await score(path, recording, options));
    } finally {
      await recording.close();
    }
    if (out) writeFileSync(out, `${JSON.stringify(report(), null, 1)}\n`);
  }
  process.stdout.write(json ? `${JSON.stringify(report())}\n` : `${textOf(report())}\n`);
  return 0;
}

/** The chosen filters up to `track`, which finds the poses and does not get those of the recording. */
function stagesUpToTrack({ stages, set }: PosesOptions): Stage[] {
  const names = stages?.split(",").map((name) => name.trim());
  const all = chooseStages(names, undefined, set).stages.filter(({ role }) => role === "filter");
  const last = all.findIndex(({ gives }) => gives === "pose");
  if (last < 0) throw new RequestError("--stages: track, which finds the poses, is not among them: add it");
  const wanted = all.slice(0, last + 1);
  wanted[last]?.set({ recorded: false });
  return wanted;
}

/** The recording's own pose at a frame, if it has one, and the frame's time. */
interface Truth {
  readonly ms: number;
  readonly pose: Rigid | undefined;
}

async function score(path: string, recording: RecordedSource, options: PosesOptions): Promise<PoseRow> {
  const stages = stagesUpToTrack(options);
  applyNoise(stages, await noiseOf(recording));
  const length = Math.min(recording.length, options.frames ?? Infinity);
  const found: { readonly index: number; readonly pose: Rigid }[] = [];
  const truths: Truth[] = [];
  const counts = { still: 0, moved: 0, lost: 0 };
  let shape: FrameShape | undefined;
  const twins = new Twins(stages);
  for (let index = 0; index < length; index++) {
    const read = await recording.read(index);
    const { pose, timestamp } = read;
    truths.push({ ms: timestamp, pose: pose && straighten(Float64Array.from(pose.slice(0, 12))) });
    shape ??= shapeOf(read);
    if (!sameShape(shape, read)) throw new RequestError(`${path}: frame ${index} is of another size than the first`);
    const camera = twins.run(read, { index, timestamp, fresh: true, follows: index > 0 }).frame.pose;
    if (!camera) throw new Error("track left no pose");
    counts[POSE_STATES[camera.state]]++;
    if (camera.state !== POSE_STATE.lost) found.push({ index, pose: camera.toWorld.slice() });
  }
  twins.destroy();
  if (!truths.some(({ pose }) => pose)) {
    const which = "recordings of TUM, 7-Scenes, Stray Scanner and ScanNet may have some";
    throw new RequestError(`${path}: it has no poses of its own to score against (${which})`);
  }
  const pairs = found.flatMap(({ index, pose }): PosePair[] => {
    const truth = truthAt(truths, index, (options.shift ?? 0) * 1000);
    return truth ? [{ index, found: pose, truth }] : [];
  });
  const error = trajectoryError(pairs);
  return { recording: path, frames: length, scored: pairs.length, ...counts, error: error ?? null };
}

/** The true pose `shiftMs` after a frame, between the two frames' poses around that time. */
function truthAt(truths: readonly Truth[], index: number, shiftMs: number) {
  const at = truths[index];
  if (shiftMs === 0 || !at) return at?.pose;
  const ms = at.ms + shiftMs;
  const after = truths.findIndex((truth) => truth.ms >= ms);
  const [a, b] = [truths[after - 1], truths[after]];
  if (!a?.pose || !b?.pose) return undefined;
  return poseBetween(a.pose, b.pose, (ms - a.ms) / (b.ms - a.ms));
}
