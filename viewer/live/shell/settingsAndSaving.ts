import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import { applyNoise } from "../../../pipeline/noise.ts";
import { type NoiseAside, noiseAside } from "../../../pipeline/noiseAside.ts";
import { matcherOf, pairWatch } from "../../../pipeline/pair.ts";
import type { DepthFrame, RecordingInput, Source } from "../../../sources/index.ts";
import type { SensorNoise } from "../../../stages/core/noise.ts";
import { NoiseFollower } from "../../../stages/core/noiseFollower.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { SaveMenu } from "../out/saveMenu.ts";
import { Saver, type SaverParts } from "../out/saver.ts";
import { StageCards } from "../panel/stageCards.ts";
import type { Settling } from "../show/settling.ts";
import type { Shown } from "../show/shown.ts";
import { saveHandle } from "../source/fileHandles.ts";
import { measureNoise } from "../source/measureNoise.ts";
import type { MeasuredNoise, NoiseAnswer } from "../source/noiseWorker.ts";
import { clearQuestion, reopen } from "../source/reopenSource.ts";
import type { SourceOpener } from "../source/sourceOpener.ts";
import { AddressSync, type AddressSyncParts } from "../state/addressSync.ts";
import { applyPreset } from "../state/changedValues.ts";
import { sentence, textOf } from "../state/messageText.ts";

interface Parts
  extends Omit<AddressSyncParts, "reopen" | "topic" | "isAsked" | "pipeline">,
    Pick<SaverParts, "canvas" | "draw" | "shown$" | "quality" | "asMeasured"> {
  readonly pipeline: Pipeline;
  readonly opener: SourceOpener;
  readonly shown: Shown;
  readonly settling: Settling;
  /** Gets the noise of the sensor. */
  readonly noise$: { next(noise: MeasuredNoise | undefined): void };
}

/** Sets up the stages' cards, and the storage of all settings: in the address, in a settings file, and across a reload. */
export function setUpSettingsAndSaving(parts: Parts) {
  const { pipeline, settings, opener, player, messages } = parts;
  const addressSync = new AddressSync({
    ...parts,
    isAsked: (source) => source === opener.asked,
    reopen: (name, topic) => void reopen(name, topic, opener, messages),
    topic: (name) => void opener.topic(name),
  });
  opener.isNamed = (source) => addressSync.names(source);
  const takeFile = (file: File) =>
    void importFile(file, addressSync).catch((error) => messages.show("error", "settings", textOf(error)));
  const cards = new StageCards({
    pipeline,
    settings: settings.part("preset", "split"),
    onPreset(preset) {
      parts.compare(false);
      applyPreset(parts, preset);
    },
    onSwitch(stage, on) {
      parts.compare(false);
      switchStage(stage, on, parts);
      // The matcher's noise is not the camera's.
      if (stage.gives === "depth" && noise.value !== undefined) measure();
    },
    onResetFilters: () => addressSync.resetFilters(),
    onImport: takeFile,
    onChange: parts.onChange,
  });
  const tell = (noise: MeasuredNoise | undefined) => {
    parts.noise$.next(noise);
    cards.measured(noise);
  };
  const warn = (line: string) => messages.show("notice", "pair", sentence(line));
  let watch = pairWatch(warn);
  const matcher = () => matcherOf(pipeline.stages.filter(({ name }) => pipeline.isEnabled(name)));
  let follower: NoiseFollower | undefined;
  let aside: NoiseAside | undefined;
  const noise = parts.shown.gauge<MeasuredNoise>("recording", (noise) => {
    const changed = applyNoise(pipeline.stages, noise ?? undefined);
    const follow = (next: SensorNoise) => {
      applyNoise(pipeline.stages, next);
      cards.refresh();
    };
    // Before the first measurement nothing follows the noise, and the camera's noise says nothing about a matcher's noise.
    const follows = noise !== undefined && !matcher();
    aside?.end();
    aside = follows ? noiseAside() : undefined;
    follower = follows ? new NoiseFollower(follow, noise ?? undefined, aside?.measure) : undefined;
    tell(noise);
    if (changed.length > 0) parts.onChange();
  });
  const measure = () => {
    const { source, frame } = player;
    const asked = matcher();
    const put = (found: NoiseAnswer | undefined) => {
      // Depth may come from elsewhere by now.
      if (found && asked !== matcher()) return measure();
      if (source && frame && found) noise.put({ source, frame, settings: 0 }, found.noise);
      if (found?.amiss) warn(found.amiss.line);
      if (found?.amiss?.refuses) cards.match(false);
    };
    const measured = measureNoise(player, asked).then(put);
    // A paused camera gives no frames to measure, so the picture does not wait for its noise.
    if (player.recording) void parts.settling.during(measured);
  };
  const saver = new Saver({
    ...parts,
    invalidate: parts.onChange,
    settingsFile: () => addressSync.settingsFile(),
    link: () => addressSync.link,
  });
  const menu = new SaveMenu(saver);
  return {
    cards,
    takeFile,
    saveMenu: [menu.element, menu.chips],
    processed: (frame: ProcessedFrame) => saver.processed(frame),
    /** A source was opened, from `input` if it is a recording's files. */
    opened(source: Source, input: RecordingInput | undefined) {
      clearQuestion(messages);
      messages.clear("pair");
      watch = pairWatch(warn);
      void saveHandle(source.name, input);
    },
    /** The source's first frame that has a measurement is there. */
    onFirstFrame() {
      addressSync.onFirstFrame();
      measure();
    },
    /** A frame is about to go through the stages. */
    onFrame(frame: DepthFrame) {
      if (matcher()) watch(frame);
      const other = follower?.see(frame);
      if (other) tell(other);
    },
    /** Call this regularly. */
    update(nowMs: number) {
      addressSync.update(nowMs);
      menu.update();
    },
    restore: () => addressSync.restore(),
  };
}

/** Switches a stage: a setting of the view switches the stage that shows raw beside filtered depth, and the pipeline a filter. */
function switchStage({ name, role }: Stage, on: boolean, { pipeline, settings }: Parts): void {
  if (role === "view") settings.update({ split: on });
  else pipeline.configure(name, { enabled: on });
}

/** Larger files are refused as settings files, bytes. */
const LARGEST = 1 << 20;

async function importFile(file: File, addressSync: AddressSync): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name}: this is too large for a settings file`);
  addressSync.import(file.name, await file.text());
}
