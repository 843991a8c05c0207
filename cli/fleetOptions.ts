import { type Command, InvalidArgumentError, Option } from "commander";
import { type RecordingLine, RecordingLog } from "../run/batch/log.ts";
import { positive, wholeFrom } from "./arguments.ts";

/** The options that `batch` and `worker` share. */
export interface FleetFlags {
  readonly jobs?: number;
  readonly timeout?: number;
  readonly log: "text" | "json";
  readonly telemetry?: string;
}

export const addFleet = (command: Command): Command =>
  command
    .option("--jobs <n>", "how many recordings at once (default: one for each core, if memory allows)", wholeFrom(1))
    .option("--timeout <seconds>", "end a recording that takes longer, and count it as failed", positive)
    .addOption(
      new Option("--log <form>", "json: a line of JSON on standard error for each recording and each message")
        .choices(["text", "json"])
        .default("text"),
    )
    .option(
      "--telemetry <package>",
      "hand BullMQ the telemetry that an installed package, or one by its path, exports",
    );

/** A number of recordings, or a share of them, rounded up. */
export interface Most {
  of(count: number): number;
}

/** Parses "10" or "5%". */
export function most(text: string): Most {
  const [, number = "", percent] = text.match(/^(\d+(?:\.\d+)?)(%?)$/) ?? [];
  const share = Number(number) / 100;
  if (percent === "%" && share <= 1) return { of: (count) => Math.ceil(share * count) };
  if (percent === "" && /^\d+$/.test(number)) return { of: () => Number(number) };
  throw new InvalidArgumentError("It must be a whole number from 0, or a share of the recordings, from 0% to 100%.");
}

/** Where messages and the ends of recordings go. */
export interface Logs {
  log(line: string): void;
  readonly recordings: RecordingLog;
}

/**
 * Messages and recordings as lines for people, or as lines of JSON. For people only the recordings for which `isTold` is true get a line.
 */
export function logsOf(
  form: FleetFlags["log"],
  write: (line: string) => void,
  isTold: (line: RecordingLine) => boolean,
): Logs {
  const json = (line: object) => write(JSON.stringify({ time: new Date().toISOString(), ...line }));
  if (form === "json") return { log: (message) => json({ message }), recordings: new RecordingLog(json) };
  const tell = (line: RecordingLine) => {
    const more = line.outcome === "retry" ? " (it will be tried once more)" : "";
    if (isTold(line)) write(`${line.name}: ${line.error}${more}`);
  };
  return { log: write, recordings: new RecordingLog(tell) };
}
