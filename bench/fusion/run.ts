import { writeFileSync } from "node:fs";
import { openAny } from "../../run/report/gpu.ts";
import { textOf } from "../deviceReport/document.ts";
import { makeReport } from "../deviceReport/report.ts";
import { placeHere } from "../machine.ts";
import type { FusionOptions } from "../options.ts";
import type { Log } from "../types.ts";
import { fusion } from "./study.ts";

/**
 * Runs `bench fusion`: prints its tables and what it found, or JSON, and writes the files asked for. Returns exit status 1 if an output was
 * wrong or nothing was measured.
 */
export async function runFusion({ adapter, ...asked }: FusionOptions, log: Log): Promise<number> {
  const gpu = await openAny(adapter);
  try {
    const { report, html, tables } = await makeReport(gpu, placeHere(), fusion, {
      budgetS: Number.POSITIVE_INFINITY,
      quick: asked.quick ?? false,
      log,
      signal: new AbortController().signal,
      onProgress() {},
    });
    const [{ right, notes }] = report.studies;
    const json = JSON.stringify(report);
    if (asked.out) writeFileSync(asked.out, `${json}\n`);
    if (asked.html) writeFileSync(asked.html, html);
    process.stdout.write(
      `${asked.json ? json : [...tables, textOf(report), notes.join("\n")].filter(Boolean).join("\n\n")}\n`,
    );
    return right ? 0 : 1;
  } finally {
    await gpu.destroy();
  }
}
