import { type Command, Option } from "commander";
import type { ReplayRequest } from "../run/replay/request.ts";
import { PRESETS, type Preset } from "../stages/core/presets.ts";
import { collect } from "./arguments.ts";

/** The command-line options that choose stages, their parameters, and what runs them. */
export interface ChoiceFlags extends Pick<ReplayRequest, "backend" | "adapter" | "noise"> {
  readonly stages?: string;
  readonly use?: readonly string[];
  readonly set?: readonly string[];
  readonly settings?: string;
  readonly preset: Preset;
}

/** The stages' names that `--stages` lists. */
export const namesOf = ({ stages }: ChoiceFlags): string[] | undefined => stages?.split(",").map((name) => name.trim());

/** Whether somebody chose stages or set them. */
export const isChoice = ({ stages, set, settings, preset }: ChoiceFlags): boolean =>
  preset !== "default" || [stages, set, settings].some((given) => given !== undefined);

/** Adds these options to a command that runs recordings through stages; `backend` is what runs them if nobody says. */
export const addChoice = (command: Command, backend: ChoiceFlags["backend"]): Command =>
  command
    .option(
      "--stages <names>",
      'the stages in order, with commas; "depthloom stages" lists them, and the default; a second of a kind by a name of its own, coarse:median',
    )
    .option(
      "--set <stage.parameter=value>",
      'set a parameter of a stage; may be repeated ("depthloom stages" lists them)',
      collect,
    )
    .option("--settings <file>", "stages and parameters from a settings.json; --stages and --set override it")
    .addOption(
      new Option("--preset <name>", "what the filters are set for; --settings and --set override it")
        .choices(Object.keys(PRESETS))
        .default("default"),
    )
    .addOption(
      new Option("--noise <which>", "auto: parameters not set follow the noise of a recording's first frames")
        .choices(["auto", "off"])
        .default("auto"),
    )
    .addOption(
      new Option("--backend <which>", "what runs the stages").choices(["auto", "webgpu", "cpu"]).default(backend),
    )
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"));
