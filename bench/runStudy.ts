import { writeFileSync } from "node:fs";
import { openAny } from "../run/report/gpu.ts";
import { textOf } from "./deviceReport/document.ts";
import { studyNamed } from "./deviceReport/list.ts";
import { makeReport } from "./deviceReport/report.ts";
import { fusion } from "./fusion/study.ts";
import { placeHere } from "./machine.ts";
import type { CeilingsOptions } from "./options.ts";
import { listed } from "./study.ts";
import type { Log } from "./types.ts";

/**
 * Runs one study as a command: all of it, without a limit of time. Prints its tables and what it found, or JSON, and writes the files asked
 * for. Returns exit status 1 if an output was wrong or nothing was measured.
 */
export async function runStudy(name: string, { adapter, ...asked }: CeilingsOptions, log: Log): Promise<number> {
  // Rendering its frames takes too long for a report.
  const study = name === fusion.name ? listed(fusion) : studyNamed(name);
  const gpu = await openAny(adapter);
  try {
    const { report, html, tables } = await makeReport(gpu, placeHere(), {
      studies: [study],
      asked,
      budgetS: Number.POSITIVE_INFINITY,
      log,
      signal: new AbortController().signal,
      onProgress() {},
    });
    const [made] = report.studies;
    const json = JSON.stringify(report);
    if (asked.out) writeFileSync(asked.out, `${json}\n`);
    if (asked.html) writeFileSync(asked.html, html);
    const notes = made?.notes.join("\n") ?? "";
    process.stdout.write(`${asked.json ? json : [...tables, textOf(report), notes].filter(Boolean).join("\n\n")}\n`);
    return made?.right ? 0 : 1;
  } finally {
    await gpu.destroy();
  }
}
