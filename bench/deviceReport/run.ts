import { writeFileSync } from "node:fs";
import { openAny } from "../../run/report/gpu.ts";
import { onInterrupt } from "../../run/report/interrupt.ts";
import { Progress } from "../../run/report/terminal.ts";
import { placeHere } from "../machine.ts";
import type { ReportOptions } from "../options.ts";
import { textOf } from "./document.ts";
import { BUDGETS_S, progressWords } from "./measure.ts";
import { type MadeReport, makeReport } from "./report.ts";
import { stages } from "./stages.ts";

/**
 * Runs `report`: measures, writes the files, prints the figures. The exit status is 1 if an output was wrong or the GPU was lost, and that
 * of the signal after Ctrl-C; what was measured before is written in any case.
 */
export async function runReport({ adapter, budget, quick, out, json }: ReportOptions): Promise<number> {
  const gpu = await openAny(adapter);
  const interrupt = onInterrupt();
  const progress = new Progress();
  const write = ({ report, html }: MadeReport) => {
    writeFileSync(out, html);
    if (json) writeFileSync(json, `${JSON.stringify(report)}\n`);
  };
  try {
    const made = await makeReport(gpu, placeHere(), stages, {
      budgetS: budget ?? BUDGETS_S[quick ? "quick" : "thorough"],
      signal: interrupt.signal,
      onProgress: (now) => {
        if (progress.stream.isTTY) progress.note(progressWords(now));
        else progress.log(progressWords(now));
      },
      log: () => interrupt.alive(),
      // Written before anything is measured, so that a wrong path fails at once, and after each part, in case a driver ends the process.
      onMade: write,
    });
    progress.clear();
    write(made);
    const { report } = made;
    process.stdout.write(`${textOf(report)}\n`);
    progress.log(`written: ${[out, ...(json ? [json] : [])].join(", ")}`);
    if (interrupt.status !== 0) return interrupt.status;
    return report.endedEarly === null && report.studies[0].right !== false ? 0 : 1;
  } finally {
    await interrupt.release();
    await gpu.destroy();
  }
}
