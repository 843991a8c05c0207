import type { Gpu } from "../../pipeline/device/gpu.ts";
import { parseCase } from "../cases.ts";
import type { CeilingsOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { keepCeilings } from "./known.ts";
import { spreadsheetPage, spreadsheetTable } from "./report.ts";
import { measureSpreadsheet, type Spreadsheet } from "./spreadsheet.ts";

/** A Kinect's frame; the largest that all filters take; 16 megapixels. */
const SIZES = [
  { width: 640, height: 480 },
  { width: 3840, height: 2160 },
  { width: 4096, height: 4096 },
];
const QUICK_SIZES = [{ width: 320, height: 240 }];

/** Runs `bench ceilings`. */
export const runCeilings = (options: CeilingsOptions, log: Log): Promise<number> =>
  runStudy(
    {
      measure,
      right: ({ ceilings, rows }: Spreadsheet) => ceilings.checked && rows.every(({ checked }) => checked !== false),
      table: spreadsheetTable,
      page: spreadsheetPage,
    },
    options,
    log,
  );

function measure(gpu: Gpu, options: CeilingsOptions, log: Log, signal?: AbortSignal): Promise<Spreadsheet> {
  const { stages, trials, quick } = options;
  return measureSpreadsheet(gpu, {
    sizes: options.sizes ?? (quick ? QUICK_SIZES : gpu.software ? SIZES.slice(0, 1) : SIZES),
    cases: stages?.split(",").map(parseCase),
    ...{ trials, quick, signal },
    progress: (line, share) => log(`${Math.round(share * 100)} %: ${line}`),
    keep: async (ceilings) => log(`kept in ${await keepCeilings(gpu, ceilings)}`),
  });
}
