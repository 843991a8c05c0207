import type { AdapterChoice } from "../../../pipeline/index.ts";
import { FIRST } from "../source/scenes.ts";

/** Options that the page's address sets behind its `?`. */
export interface AppOptions {
  /** `?adapter=software` takes a software GPU where "auto" would use the CPU. */
  readonly adapter: AdapterChoice;
  /** `?backend=cpu` uses no GPU at all. */
  readonly backend: "auto" | "cpu";
  /**
   * `?source=none` starts with an empty page, `?source=a.mcap` with that file of the page's server, `?source=room` with the synthetic room.
   * `?source=https://…/a.mcap` and `?source=ws://…` ask the user before they connect to anything. Otherwise the synthetic desk plays.
   */
  readonly source: string;
  /** `?pair` shows two halves side by side (`pair/pairPage.ts`), and `?half` is the address of one. */
  readonly pair: boolean;
  readonly half: boolean;
  /** `?rig` shows several cameras in one space (`rig/rigPage.ts`). */
  readonly rig: boolean;
  /** `?table`: the page was opened from the table of a batch's results, and leads back to it. */
  readonly table: boolean;
}

/** Reads the options, and ignores values that it does not know. */
export function optionsOf(search: string): AppOptions {
  const query = new URLSearchParams(search);
  const adapter = query.get("adapter");
  return {
    adapter: adapter === "software" || adapter === "hardware" ? adapter : "auto",
    backend: query.get("backend") === "cpu" ? "cpu" : "auto",
    source: query.get("source") || FIRST,
    table: query.has("table"),
    pair: query.has("pair"),
    rig: query.has("rig"),
    half: query.has("half"),
  };
}
