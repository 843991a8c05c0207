import { version } from "../../package.json";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { adapterOf } from "../adapter.ts";
import { isTable, textOfSection } from "../report/page.ts";
import type { Found, Study } from "../study.ts";
import type { DeviceReport, Environment } from "./document.ts";
import { type Measured, type MeasureOptions, measureDevice } from "./measure.ts";
import { deviceReportPage } from "./page.ts";

/** A report as its two files. */
export interface MadeReport {
  readonly report: DeviceReport;
  /** The page, as HTML. */
  readonly html: string;
  /** The tables of the page, as text. */
  readonly tables: readonly string[];
}

interface ReportOptions extends Omit<MeasureOptions, "onMeasured"> {
  /** Takes the report so far, marked as incomplete, at the beginning and after each part. */
  readonly onMade?: (soFar: MadeReport) => void;
}

/** Measures a device and makes the report. See `measureDevice`. */
export async function makeReport<Of extends Found>(
  gpu: Gpu,
  place: Environment,
  study: Study<Of>,
  { onMade, ...options }: ReportOptions,
): Promise<MadeReport> {
  const date = new Date().toISOString();
  const adapter = adapterOf(gpu);
  const made = ({ study, sections, endedEarly }: Measured): MadeReport => {
    const { budgetS } = options;
    const report: DeviceReport = {
      version,
      date,
      place,
      adapter,
      budgetS,
      tookS: study.tookS,
      endedEarly,
      studies: [study],
    };
    const tables = sections.flatMap((one) => (isTable(one) ? [textOfSection(one)] : []));
    return { report, html: deviceReportPage(report, sections), tables };
  };
  const onMeasured = onMade && ((soFar: Measured) => onMade(made(soFar)));
  return made(await measureDevice(gpu, study, { ...options, ...(onMeasured && { onMeasured }) }));
}
