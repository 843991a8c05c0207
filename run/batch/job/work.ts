import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { framesToMeasure } from "../../../pipeline/noise.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { topicOfEpisode } from "../../../sources/recorded/formats/lerobot/episode.ts";
import { estimateNoise } from "../../../stages/core/noise.ts";
import { eachFrame, type Writable } from "../../../write/frames.ts";
import { Losses } from "../../../write/losses.ts";
import { writers } from "../../convert/folders.ts";
import { writeMcap } from "../../convert/toMcap.ts";
import { countFrom } from "../../replay/frames.ts";
import { openFirst } from "../../replay/openFirst.ts";
import { usePackages } from "../../replay/usePackages.ts";
import type { RunListener } from "../../request.ts";
import { runInto } from "../../runInto.ts";
import { type FrameRange, Unreadable, watchedPart } from "../../unreadable.ts";
import { rounded } from "../quality/figures.ts";
import { Chosen, Measuring } from "../quality/measure.ts";
import { THUMBNAIL } from "../quality/page.ts";
import { thumbnailOf } from "../quality/thumbnail.ts";
import { type BatchSettings, filtersOf, identityOf, VERSION } from "../settings.ts";
import { beginPlace, settle } from "./place.ts";
import { hashFolder } from "./result.ts";
import type { Done, Job, Result, Run } from "./types.ts";

/**
 * Processes a recording: measures every frame, filters and writes the frames as the settings say, and moves the finished folder to its
 * place. On an error, leaves nothing behind and throws it.
 */
export async function workOn(job: Job): Promise<Done> {
  const begin = performance.now();
  const { input, key, bytes, settings, stamp, topic: episode } = job;
  const warnings: string[] = [];
  await usePackages(settings.use);
  const topic = episode === undefined ? settings.opening.topic : topicOfEpisode(settings.opening.topic, episode);
  const recording = await openFirst(input, { ...settings.opening, topic }, (line) => warnings.push(line));
  try {
    const { start, frames: most, noise: follows, backend, adapter } = settings;
    const part: FrameRange = { start, count: countFrom(recording, start, most ?? undefined) };
    const firsts = await framesToMeasure(recording);
    const noise = estimateNoise(firsts);
    const warned = recording.warnings.length + warnings.length;
    let tried = new Try(recording, part, noise, warned);
    // A read that ends after its attempt was given up belongs to that attempt.
    const watched = watchedPart(recording, part, () => tried);
    const writeAll = async (frames: Writable) => {
      tried = new Try(recording, part, noise, warned);
      const { losses } = tried;
      const folder = await beginPlace(job);
      await write(frames, folder, settings, { losses, truth: false });
      return folder;
    };
    const filter = async () => {
      const request = { chosen: await filtersOf(settings), backend, adapter, noise: follows, timeEvery: 1 };
      const first = { frame: firsts[0], noise };
      return runInto(watched, { ...request, first, frames: undefined }, SILENT, writeAll);
    };
    const { written: folder, result: ran } =
      settings.to && !settings.raw ? await filter() : { written: await writeAll(watched), result: undefined };
    const { measuring, chosen, losses, unreadable } = tried;
    const figures = measuring.figures();
    if (figures.frames === 0) throw unreadable.first ?? new Error(`${key}: no frame was read`);
    if (unreadable.line) warnings.push(unreadable.line);
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
    const snapshot = ran?.pipeline.statistics.snapshot();
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
    await recording.close();
  }
}

const SILENT: RunListener = { warn() {}, note() {}, progress() {}, stop: new AbortController().signal };

/** What is learnt of a recording while its frames are read. Where depth outgrows its unit, all begins anew. */
class Try {
  readonly measuring: Measuring;
  readonly chosen: Chosen;
  readonly losses = new Losses();
  readonly unreadable = new Unreadable();

  constructor(...[recording, part, noise, warned]: ConstructorParameters<typeof Measuring>) {
    this.measuring = new Measuring(recording, part, noise, warned);
    this.chosen = new Chosen(part.start + (part.count >> 1));
  }

  see(frame: DepthFrame): void {
    this.measuring.see(frame);
    this.chosen.see(frame);
  }

  lost(index: number, error: Error): void {
    this.measuring.lost();
    this.unreadable.lost(index, error);
  }
}

type Writing = Parameters<(typeof writers)["png"]>[2];

/** Writes the frames into the folder; without a format it only reads them, so that all are measured. */
async function write(frames: Writable, folder: string, { to, codec }: BatchSettings, options: Writing) {
  if (to === "mcap") await writeMcap(frames, join(folder, "recording.mcap"), { codec }, options);
  else if (to) await writers[to](frames, join(folder, "recording"), options);
  else await eachFrame(frames, { ...options, losses: undefined }, async () => {});
}
