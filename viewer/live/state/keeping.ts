import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { RecordingInput, Source } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/stage.ts";
import { suitStages } from "../../replay/noise.ts";
import { SaveMenu } from "../out/saveMenu.ts";
import { Saver, type SaverParts } from "../out/saver.ts";
import { StageCards } from "../panel/stages.ts";
import { keepHandle } from "../source/handles.ts";
import { measureNoise } from "../source/measuring.ts";
import type { Measured } from "../source/noiseWorker.ts";
import { type Opener, textOf } from "../source/opening.ts";
import { reopen, reopened } from "../source/reopening.ts";
import { takePresetOf } from "./fields.ts";
import { Keeper, type KeeperParts } from "./keeper.ts";

interface Parts extends Omit<KeeperParts, "onTaken" | "reopen" | "pipeline">, Pick<SaverParts, "canvas" | "draw"> {
  readonly pipeline: Pipeline;
  readonly opener: Opener;
  /** The settings changed, all of them perhaps (`anew`): what shows them shows others. */
  readonly onSet: (anew: boolean) => void;
  /** Stages were set, moved or switched. */
  readonly onChange: () => void;
}

/** The stages' cards, and what keeps them and all else that is set: in the address, in a settings file, over a reload. */
export function keepSettings(parts: Parts) {
  const { pipeline, settings, opener, player, messages } = parts;
  const target = parts;
  const keeper = new Keeper({
    ...parts,
    onTaken() {
      // Whether it plays at another speed, too.
      player.set({});
      parts.onSet(true);
    },
    reopen: (name, topic) => void reopen(name, topic, opener, messages),
  });
  const takeFile = (file: File) =>
    void importFile(file, keeper).catch((error) => messages.show("error", "settings", textOf(error)));
  const cards = new StageCards({
    pipeline,
    preset: () => settings.preset,
    onPreset(preset) {
      settings.preset = preset;
      takePresetOf(target);
    },
    onSwitch(stage, on) {
      switchStage(stage, on, parts);
      parts.onSet(false);
    },
    onResetAll: () => keeper.resetAll(),
    onImport: takeFile,
    onChange: parts.onChange,
  });
  const measured = (noise: Measured | undefined) => {
    const changed = suitStages(pipeline.stages, noise ?? undefined);
    cards.measured(noise);
    if (changed.length > 0) parts.onChange();
  };
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
      measured(undefined);
      void keepHandle(source.name, input);
    },
    /** Its first frame with a measurement in it is here. */
    arrived() {
      keeper.arrived();
      void measureNoise(player).then((noise) => noise !== undefined && measured(noise));
    },
    /** To be called again and again. */
    update(nowMs: number) {
      keeper.update(nowMs);
      menu.update();
    },
    restore: () => keeper.restore(),
  };
}

/** Whether a stage that is seen runs goes by how one looks; the others are switched for themselves. */
function switchStage({ name, role }: Stage, on: boolean, { pipeline, settings }: Parts): void {
  if (role === "picture") settings.view = on ? "picture" : "points";
  else if (role === "colour") settings.color = on ? "lit" : "camera";
  else if (role === "view") settings.split = on;
  else pipeline.configure(name, { enabled: on });
}

/** More than any settings file has. */
const LARGEST = 1 << 20;

async function importFile(file: File, keeper: Keeper): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name}: this is too large for a settings file`);
  keeper.import(file.name, await file.text());
}
