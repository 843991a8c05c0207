import type { Command } from "commander";
import type { OpenOptions } from "../../sources/index.ts";
import { depthScale, intrinsics, positive } from "./arguments.ts";

/** What the command line says of a recording. */
export interface OpenFlags {
  readonly format?: string;
  readonly topic?: string;
  readonly depthScale?: number;
  readonly intrinsics?: ReturnType<typeof intrinsics>;
  readonly fps?: number;
}

/** Adds the options of a command that opens a recording. */
export const addOpening = (command: Command): Command =>
  command
    .option(
      "--format <name>",
      "take the recording for this format: mcap, bag, mkv, tum, png … (docs/formats.md has all)",
    )
    .option("--topic <name>", "the depth topic, or track, of a file that has several (info lists them)")
    .option("--depth-scale <metres>", "metres in a unit of depth: 0.001 or 1/5000", depthScale)
    .option("--intrinsics <fx,fy,cx,cy>", "the depth camera's lens, in pixels", intrinsics)
    .option("--fps <n>", "frames per second, where the recording has no times", positive);

export const openingOf = ({ format, topic, fps, depthScale, intrinsics }: OpenFlags): OpenOptions => ({
  format,
  topic,
  fps,
  metresPerUnit: depthScale,
  intrinsics,
});
