import type { AdapterChoice } from "../../../pipeline/index.ts";
import { FIRST } from "../source/scenes.ts";

/** What the page's address can ask for. */
export interface AppOptions {
  /** `?adapter=software` takes a software GPU where "auto" would rather use the CPU. */
  readonly adapter: AdapterChoice;
  /** `?backend=cpu` uses no GPU at all. */
  readonly backend: "auto" | "cpu";
  /** `?source=none` starts with an empty page, `?source=a.mcap` with that file of the page's server,
   * `?source=https://…/a.mcap` and `?source=ws://…` with a question before anything is connected to; `?source=room` with the
   * synthetic room; otherwise the synthetic desk plays. */
  readonly source: string;
  /** `?tune=5`: for how many seconds a stage's variants are tried where the device is tuned. */
  readonly tuneMs: number;
}

const TUNE_SECONDS = 25;

/** Reads the address; what it does not know it leaves alone. */
export function optionsOf(search: string): AppOptions {
  const query = new URLSearchParams(search);
  const adapter = query.get("adapter");
  const tuneSeconds = Number(query.get("tune"));
  return {
    adapter: adapter === "software" || adapter === "hardware" ? adapter : "auto",
    backend: query.get("backend") === "cpu" ? "cpu" : "auto",
    source: query.get("source") || FIRST,
    tuneMs: (tuneSeconds > 0 ? tuneSeconds : TUNE_SECONDS) * 1000,
  };
}
