import { type Command, InvalidArgumentError, Option } from "commander";
import { type RecordingLine, RecordingLog } from "../run/batch/log.ts";
import type { Metrics, MetricsPlace } from "../run/batch/metrics.ts";
import { positive, wholeFrom } from "./arguments.ts";

/** The options that `batch` and `worker` share. */
export interface FleetFlags {
  readonly jobs?: number;
  readonly timeout?: number;
  readonly log: "text" | "json";
  readonly telemetry?: string;
  readonly metrics?: MetricsPlace;
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
    .option("--telemetry <package>", "hand BullMQ the telemetry that an installed package, or one by its path, exports")
    .option(
      "--metrics <port>",
      "serve counts of recordings, seconds and frames as OpenMetrics at /metrics; host:port listens elsewhere than on 127.0.0.1",
      metricsPlace,
    );

/** Parses "9464", "0.0.0.0:9464" or "[::]:9464". */
export function metricsPlace(text: string): MetricsPlace {
  const [, inBrackets, named, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== "" && port <= 65535) return { host: inBrackets ?? named ?? "127.0.0.1", port };
  throw new InvalidArgumentError("It must be a port from 0 to 65535, or an address and a port, 0.0.0.0:9464.");
}

/** Begins to serve metrics, if they are wanted. */
export async function openMetrics(place: MetricsPlace | undefined): Promise<Metrics | undefined> {
  if (!place) return undefined;
  const { Metrics } = await import("../run/batch/metrics.ts");
  return Metrics.open(place);
}

/** A number of recordings, or a share of them, rounded up. */
export interface Most {
  of(count: number): number;
}

/** Parses "10" or "5%". */
export function most(text: string): Most {
  const [, number = "", percent] = text.match(/^(\d+(?:\.\d+)?)(%?)$/) ?? [];
  // A product such as 7 * 100 is exact, where 0.07 * 100 is above 7.
  if (percent === "%" && Number(number) <= 100) return { of: (count) => Math.ceil((Number(number) * count) / 100) };
  if (percent === "" && /^\d+$/.test(number)) return { of: () => Number(number) };
  throw new InvalidArgumentError("It must be a whole number from 0, or a share of the recordings, from 0% to 100%.");
}

/** Where messages and the ends of recordings go. */
interface Logs {
  log(line: string): void;
  readonly recordings: RecordingLog;
}

/**
 * Messages and recordings as lines for people, or as lines of JSON. For people only the recordings for which `isTold` is true get a line.
 * `also` hears of all.
 */
export function logsOf(
  form: FleetFlags["log"],
  write: (line: string) => void,
  isTold: (line: RecordingLine) => boolean,
  also: (line: RecordingLine) => void = () => {},
): Logs {
  const json = (line: object) => write(JSON.stringify({ time: new Date().toISOString(), ...line }));
  const recordingsBy = (tell: (line: RecordingLine) => void) =>
    new RecordingLog((line) => {
      also(line);
      tell(line);
    });
  if (form === "json") return { log: (message) => json({ message }), recordings: recordingsBy(json) };
  const tell = (line: RecordingLine) => {
    const more = line.outcome === "retry" ? " (it will be tried once more)" : "";
    if (isTold(line)) write(`${line.name}: ${line.error}${more}`);
  };
  return { log: write, recordings: recordingsBy(tell) };
}
