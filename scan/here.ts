import type { Source } from "../core/source.ts";
import { filtersOf } from "../run/filter/filter.ts";
import { chooseStages } from "../run/replay/settings.ts";
import type { RunListener } from "../run/request.ts";
import type { Scan, ScanRequest } from "./keep.ts";
import { MOST_TRIANGLES, scanSource, upTo } from "./scan.ts";

/** What a program says of a scan, as values that can be sent between threads. */
export type ScanNumbers = Partial<
  Pick<ScanRequest, "turntable" | "voxelM" | "farM" | "mostMegabytes" | "crop" | "leastPiece" | "triangles" | "backend">
>;

/** Scans with the filters and the tracking of the default chain, on the thread that calls it. */
export function scanHere(source: Source, numbers: ScanNumbers, listener: RunListener): Promise<Scan> {
  const { voxelM = 0.005, mostMegabytes = 1024, leastPiece = 300, backend = "auto", turntable, farM, crop } = numbers;
  const { triangles = MOST_TRIANGLES } = numbers;
  const request: ScanRequest = {
    chosen: upTo(farM, filtersOf(chooseStages(undefined, undefined))),
    backend,
    adapter: "auto",
    noise: "auto",
    start: 0,
    frames: undefined,
    // What a program's own source throws is handed on to the program.
    isStrict: true,
    voxelM,
    farM,
    turntable,
    mostMegabytes,
    crop,
    leastPiece,
    triangles,
  };
  return scanSource(source, request, listener);
}
