import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { RecordingInput, Source } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { applyNoise } from "../../replay/noise.ts";
import { SaveMenu } from "../out/saveMenu.ts";
import { Saver, type SaverParts } from "../out/saver.ts";
import { StageCards } from "../panel/stages.ts";
import type { Settling } from "../show/settling.ts";
import type { Shown } from "../show/shown.ts";
import { keepHandle } from "../source/handles.ts";
import { measureNoise } from "../source/measuring.ts";
import type { Measured } from "../source/noiseWorker.ts";
import { type Opener, textOf } from "../source/opening.ts";
import { reopen, reopened } from "../source/reopening.ts";
import { takePreset } from "../state/fields.ts";
import { Keeper, type KeeperParts } from "../state/keeper.ts";

interface Parts extends Omit<KeeperParts, "reopen" | "pipeline">, Pick<SaverParts, "canvas" | "draw" | "shown$"> {
  readonly pipeline: Pipeline;
  readonly opener: Opener;
  readonly shown: Shown;
  readonly settling: Settling;
  /** Told how noisy the sensor is. */
  readonly noise$: { next(noise: Measured | undefined): void };
}

/** The stages' cards, and what keeps them and all else that is set: in the address, in a settings file, over a reload. */
export function keepSettings(parts: Parts) {
  const { pipeline, settings, opener, player, messages } = parts;
  const keeper = new Keeper({
    ...parts,
    reopen: (name, topic) => void reopen(name, topic, opener, messages),
  });
  const takeFile = (file: File) =>
    void importFile(file, keeper).catch((error) => messages.show("error", "settings", textOf(error)));
  const cards = new StageCards({
    pipeline,
    settings: settings.part("preset"),
    onPreset: (preset) => takePreset(parts, preset),
    onSwitch: (stage, on) => switchStage(stage, on, parts),
    onResetAll: () => keeper.resetAll(),
    onImport: takeFile,
    onChange: parts.onChange,
  });
  const noise = parts.shown.gauge<Measured>("recording", (noise) => {
    parts.noise$.next(noise);
    const changed = applyNoise(pipeline.stages, noise ?? undefined);
    cards.measured(noise);
    if (changed.length > 0) parts.onChange();
  });
  const saver = new Saver({
    ...parts,
    invalidate: parts.onChange,
    settingsFile: () => keeper.settingsFile(),
    link: () => keeper.link,
  });
  const menu = new SaveMenu(saver);
  return {
    cards,
    takeFile,
    saveMenu: [menu.element, menu.chips],
    processed: (frame: ProcessedFrame) => saver.processed(frame),
    /** A source has been opened, from `input` where it is a recording's files. */
    opened(source: Source, input: RecordingInput | undefined) {
      reopened(messages);
      void keepHandle(source.name, input);
    },
    /** Its first frame with a measurement in it is here. */
    arrived() {
      keeper.arrived();
      const { source, frame } = player;
      const tell = (found: Measured | undefined) => {
        if (source && frame && found !== undefined) noise.put({ source, frame, settings: 0 }, found);
      };
      const told = measureNoise(player).then(tell);
      // A camera that is stopped gives no frames to measure.
      if (player.recording) void parts.settling.during(told);
    },
    /** To be called again and again. */
    update(nowMs: number) {
      keeper.update(nowMs);
      menu.update();
    },
    restore: () => keeper.restore(),
  };
}

/** Whether raw depth stands beside filtered depth is a setting of the view; filters are switched for themselves. */
function switchStage({ name, role }: Stage, on: boolean, { pipeline, settings }: Parts): void {
  if (role === "view") settings.update({ split: on });
  else pipeline.configure(name, { enabled: on });
}

/** More than any settings file has. */
const LARGEST = 1 << 20;

async function importFile(file: File, keeper: Keeper): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name}: this is too large for a settings file`);
  keeper.import(file.name, await file.text());
}
