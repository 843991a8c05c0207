import { blocksOf, reserve } from "./blocks.ts";
import { flags, lookBack, ours } from "./others.ts";
import { sequences } from "./sequences.ts";
import type { Contender } from "./types.ts";

/** The two champions of the published comparison, and ours. */
export const CHAMPIONS: readonly Contender[] = [sequences, blocksOf(256), ours];

/** All contenders. One that is added here is checked, timed and drawn. */
export const FAMILY: readonly Contender[] = [
  sequences,
  ...[32, 64, 128, 256, 512, 1024].map(blocksOf),
  flags,
  reserve,
  lookBack,
  ours,
];
