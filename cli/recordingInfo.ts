import { shownAddress } from "../core/address.ts";
import { counted, plain } from "../core/check.ts";
import { countValid, type DepthFrame } from "../core/frame.ts";
import { noiseOf } from "../pipeline/noise.ts";
import { gapsIn } from "../run/batch/quality/gaps.ts";
import { openFirst } from "../run/replay/openFirst.ts";
import { describe } from "../run/report/failure.ts";
import { print, say, table } from "../run/report/terminal.ts";
import { cameraText, unitText } from "../sources/format/format.ts";
import type { DepthTopic, OpenOptions, RecordedSource } from "../sources/index.ts";
import type { Noise } from "../stages/core/noise.ts";

/** `info PATH`: describes a recording, the origin of each property, and its noise. It reads only the first frames. */
export async function tellRecording(path: string, options: OpenOptions, json: boolean): Promise<void> {
  const recording = await openFirst(path, options, (line) => say(`warning: ${line}`));
  try {
    const [frame, fault] = await firstOf(recording);
    const noise = frame && (await noiseOf(recording));
    const document = documentOf(path, recording, frame, noise, fault);
    await print([json ? `${JSON.stringify(document, null, 2)}\n` : textOf(document)]);
    for (const line of document.warnings) say(`warning: ${plain(line)}`);
    if (!fault) return;
    say(`depthloom: ${document.error}`);
    process.exitCode = 1;
  } finally {
    await recording.close();
  }
}

async function firstOf(recording: RecordedSource): Promise<[DepthFrame | undefined, unknown?]> {
  try {
    return [await recording.read(0)];
  } catch (error) {
    return [undefined, error];
  }
}

type Info = ReturnType<typeof documentOf>;

function documentOf(
  path: string,
  recording: RecordedSource,
  frame: DepthFrame | undefined,
  noise: Noise | undefined,
  fault: unknown,
) {
  const { format, length, fps, facts, warnings } = recording;
  return {
    recording: shownAddress(path),
    format,
    /** From the first frame, as all values up to `fps`; `null` if it cannot be read. */
    width: frame?.intrinsics.width ?? null,
    height: frame?.intrinsics.height ?? null,
    metresPerUnit: frame?.metresPerUnit ?? null,
    intrinsics: frame?.intrinsics ?? null,
    hasColor: frame ? frame.color !== undefined : null,
    hasPose: frame ? frame.pose !== undefined : null,
    validShare: frame ? countValid(frame.depth) / frame.depth.data.length : null,
    nearestM: frame ? extremeM(frame, Math.min, 65535) : null,
    farthestM: frame ? extremeM(frame, Math.max, 0) : null,
    /** From the first frames: sigma(z) = a + b·z², and the sensor's step at 1 m; `null` if too few of their pixels are valid. */
    noise: noise ? { aMm: noise.a, bPerM2Mm: noise.b, stepAt1mMm: noise.stepMm(1), text: noise.text } : null,
    fps,
    frames: length,
    /** From the first frame to the last; where the clock steps back, one period has passed. */
    durationMs: gapsIn(Array.from({ length }, (_, i) => recording.timestampOf(i))).durationMs,
    facts,
    /** Every depth stream of a file that can have several. */
    ...(recording.topics && { topics: recording.topics }),
    warnings: [...warnings],
    ...(fault === undefined ? {} : { error: describe(fault) }),
  };
}

/** The best of the valid pixels in metres; `null` if none is valid. */
function extremeM({ depth, metresPerUnit }: DepthFrame, better: typeof Math.min, from: number): number | null {
  let [found, best] = [false, from];
  for (const value of depth.data) {
    if (value === 0) continue;
    found = true;
    best = better(best, value);
  }
  return found ? best * metresPerUnit : null;
}

function textOf({ recording, facts, topics = [], width, height, intrinsics, ...first }: Info): string {
  const rows: [string, string][] = [["recording", recording]];
  for (const { what, value, from } of facts) {
    const more = what === "frames" ? `, ${(first.durationMs / 1000).toFixed(1)} s` : "";
    rows.push([what, `${value}${more} (${from})`]);
  }
  if (topics.length > 1) rows.push(...topics.map((topic): [string, string] => ["depth topic", topicText(topic)]));
  if (intrinsics) {
    const { fx, fy, cx, cy } = intrinsics;
    const lens = [fx, fy, cx, cy].map((x) => Number(x.toFixed(2))).join(", ");
    rows.splice(3, 0, ["size", `${width}×${height} (first frame)`]);
    const range = first.nearestM === null ? "" : `, ${first.nearestM.toFixed(2)} to ${first.farthestM?.toFixed(2)} m`;
    const valid = `${((first.validShare ?? 0) * 100).toFixed(1)} % valid${range}`;
    const has = `${first.hasColor ? "with" : "without"} colour${first.hasPose ? ", with a pose" : ""}`;
    rows.push(["first frame", `${valid}, ${has}, intrinsics ${lens}`]);
  }
  if (first.noise) rows.push(["noise", first.noise.text.replace(/^noise /, "")]);
  return table(rows);
}

function topicText({ name, kind, size, frames, metresPerUnit, intrinsics, intrinsicsFrom }: DepthTopic): string {
  const pixels = size ? `${size.width}×${size.height}` : "size not known";
  const lens = intrinsics ? `${cameraText(intrinsics)} (topic ${intrinsicsFrom})` : "no intrinsics";
  return `${name}: ${kind}, ${pixels}, ${counted(frames, "frame")}, ${unitText(metresPerUnit)}, ${lens}`;
}
