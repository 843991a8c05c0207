import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { counted } from "../../../core/check.ts";
import { createPipeline, type Pipeline } from "../../../pipeline/index.ts";
import { followNoise, framesToMeasure } from "../../../pipeline/noise.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { topicOfEpisode } from "../../../sources/recorded/formats/lerobot/episode.ts";
import { estimateNoise } from "../../../stages/core/noise.ts";
import { eachFrame } from "../../../write/frames.ts";
import { Losses } from "../../../write/losses.ts";
import { writers } from "../../convert/folders.ts";
import { writeMcap } from "../../convert/toMcap.ts";
import { countFrom } from "../../replay/frames.ts";
import { openFirst } from "../../replay/openFirst.ts";
import { inOneUnit } from "../../replay/unitWatch.ts";
import { usePackages } from "../../replay/usePackages.ts";
import { rounded } from "../quality/figures.ts";
import { Chosen, type FrameRange, Measuring } from "../quality/measure.ts";
import { THUMBNAIL } from "../quality/page.ts";
import { thumbnailOf } from "../quality/thumbnail.ts";
import { type BatchSettings, filtersOf, identityOf, VERSION } from "../settings.ts";
import { FrameSource } from "./frames.ts";
import { beginPlace, settle } from "./place.ts";
import { hashFolder } from "./result.ts";
import type { Done, Job, Result, Run } from "./types.ts";

/**
 * Processes a recording: measures every frame, filters and writes the frames as the settings say, and moves the finished folder to its
 * place. On an error, leaves nothing behind and throws it.
 */
export async function workOn(job: Job): Promise<Done> {
  const begin = performance.now();
  return inOneUnit(undefined, (unitFrom) => attempt(job, begin, unitFrom));
}

/** Filters in the unit that suits `unitFrom`, by default the first frame. Throws `Outgrown` if a frame does not fit into that unit. */
async function attempt(job: Job, begin: number, unitFrom: DepthFrame | undefined): Promise<Done> {
  const { input, key, bytes, settings, stamp, topic: episode } = job;
  const warnings: string[] = [];
  await usePackages(settings.use);
  const topic = episode === undefined ? settings.opening.topic : topicOfEpisode(settings.opening.topic, episode);
  const recording = await openFirst(input, { ...settings.opening, topic }, (line) => warnings.push(line));
  let pipeline: Pipeline | undefined;
  try {
    const folder = await beginPlace(job);
    const { start, frames: most } = settings;
    const part: FrameRange = { start, count: countFrom(recording, start, most ?? undefined) };
    const firsts = await framesToMeasure(recording);
    const noise = estimateNoise(firsts);
    let follow: ((frame: DepthFrame) => void) | undefined;
    if (settings.to && !settings.raw) {
      const { stages } = await filtersOf(settings);
      if (settings.noise === "auto") follow = followNoise(stages, noise, () => {});
      const { backend, adapter } = settings;
      pipeline = await createPipeline({ stages, backend, adapter, timeEvery: 1, noise: "none" });
    }
    const measuring = new Measuring(recording, part, noise, recording.warnings.length + warnings.length);
    const chosen = new Chosen(part.start + (part.count >> 1));
    let lost: Error | undefined;
    const watcher = {
      see(frame: DepthFrame) {
        measuring.see(frame);
        chosen.see(frame);
      },
      lost(error: Error) {
        measuring.lost();
        lost ??= error;
      },
      before: (frame: DepthFrame) => follow?.(frame),
    };
    const frames = new FrameSource(recording, part, pipeline, watcher, unitFrom ?? firsts[0]);
    const losses = new Losses();
    try {
      await write(frames, folder, settings, { losses, truth: false });
    } finally {
      await frames.close();
    }
    const figures = measuring.figures();
    if (figures.frames === 0) throw lost ?? new Error(`${key}: no frame was read`);
    if (lost) warnings.push(`could not read ${counted(figures.unreadable, "frame")}; the first: ${lost.message}`);
    if (chosen.frame) await writeFile(join(folder, THUMBNAIL), await thumbnailOf(chosen.frame));
    const result: Result = {
      recording: key,
      bytes,
      version: VERSION,
      identity: identityOf(settings),
      figures,
      warnings: [...recording.warnings, ...warnings, ...losses.lines].map((line) => line.replaceAll(input, key)),
      written: await hashFolder(folder),
    };
    const snapshot = pipeline?.statistics.snapshot();
    const run: Run = {
      host: hostname(),
      finished: new Date().toISOString(),
      seconds: rounded((performance.now() - begin) / 1000),
      overBudget: snapshot?.frames ? rounded(snapshot.frame.overBudget / snapshot.frames) : null,
      peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
      stamp,
    };
    return await settle(job, folder, { result, run });
  } finally {
    await pipeline?.destroy();
    await recording.close();
  }
}

type Writing = Parameters<(typeof writers)["png"]>[2];

/** Writes the frames into the folder; without a format it only reads them, so that all are measured. */
async function write(frames: FrameSource, folder: string, { to, codec }: BatchSettings, options: Writing) {
  if (to === "mcap") await writeMcap(frames, join(folder, "recording.mcap"), { codec }, options);
  else if (to) await writers[to](frames, join(folder, "recording"), options);
  else await eachFrame(frames, { ...options, losses: undefined }, async () => {});
}
