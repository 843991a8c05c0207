import { version } from "../../package.json";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { adapterOf } from "../adapter.ts";
import { isTable, textOfSection } from "../report/page.ts";
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
  /** Takes the report so far, marked as incomplete, at the beginning and after each study but the last. */
  readonly onMade?: (soFar: MadeReport) => void;
}

/** Measures a device and makes the report. See `measureDevice`. */
export async function makeReport(
  gpu: Gpu,
  place: Environment,
  { onMade, ...options }: ReportOptions,
): Promise<MadeReport> {
  const date = new Date().toISOString();
  const adapter = adapterOf(gpu);
  const made = ({ studies, tookS, endedEarly }: Measured): MadeReport => {
    const reports = studies.map((one) => one.report);
    const report = { version, date, place, adapter, budgetS: options.budgetS, tookS, endedEarly, studies: reports };
    const sections = new Map(studies.map((one) => [one.report.name, one.sections]));
    const tables = [...sections.values()].flat().flatMap((one) => (isTable(one) ? [textOfSection(one)] : []));
    return { report, html: deviceReportPage(report, sections), tables };
  };
  return made(await measureDevice(gpu, { ...options, ...(onMade && { onMeasured: (soFar) => onMade(made(soFar)) }) }));
}
