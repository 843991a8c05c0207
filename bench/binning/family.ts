import { each, histogramOf, windows } from "./histograms.ts";
import { levelsTo } from "./levels.ts";
import type { Contender } from "./types.ts";

/** All contenders. One that is added here is checked, timed and drawn. */
export const FAMILY: readonly Contender[] = [
  each,
  histogramOf(1024),
  histogramOf(8192),
  windows,
  levelsTo(5),
  levelsTo(0),
];
