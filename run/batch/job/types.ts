import type { FoundRecording } from "../find/found.ts";
import type { Figures } from "../quality/figures.ts";
import type { BatchSettings } from "../settings.ts";

/** A recording, whole, and where its result goes: all that a process needs, on this machine or another that sees the same storage. */
export interface Job extends FoundRecording {
  /** The folder of all results: an absolute path, or an address of S3 that does not end with a slash. */
  readonly out: string;
  readonly settings: BatchSettings;
  /** See `identityOf`. */
  readonly identity: string;
  readonly version: string;
}

/**
 * A recording's result: the line in its folder's `result.json`. It depends on the recording, the settings and the version alone, so every
 * run gives the same bytes.
 */
export interface Result {
  readonly recording: string;
  /** The size of the recording's files. */
  readonly bytes: number;
  readonly version: string;
  readonly identity: string;
  readonly figures: Figures;
  /** One line for each assumption, fault or loss. */
  readonly warnings: readonly string[];
  /** The files in the folder besides `result.json` and `run.json`. `sha256` is over their names and hashes, in the order of names. */
  readonly written: { readonly files: number; readonly bytes: number; readonly sha256: string };
}

/** Facts of one run (`run.json` in the result's folder), which differ from run to run. */
export interface Run {
  readonly host: string;
  readonly finished: string;
  readonly seconds: number;
  /** The share of frames whose stages took longer than the budget of 33 ms; `null` where no stage ran. */
  readonly overBudget: number | null;
  /** The most memory that the process has held since it started, MiB; the process may have taken other recordings before. */
  readonly peakMiB: number;
  /** See `Place.stamp`. */
  readonly stamp: string;
  /** See `isWhole`. */
  readonly seal?: string;
}

/** A finished recording. */
export interface Done {
  readonly result: Result;
  readonly run: Run;
}
