import type { Command } from "commander";
import { plain } from "../core/check.ts";
import { notes, print } from "../run/report/terminal.ts";
import type { DriverReport } from "../sources/camera/list.ts";

const NOTES = `
Each driver is the vendor's own library, if it is installed, or the kernel's. camera:DRIVER is the first camera of a driver, camera:DRIVER:ID one of
several: for view, replay, convert and serve. docs/cameras.md says which camera needs which.`;

export function addCameras(program: Command): void {
  program
    .command("cameras")
    .description("list the depth cameras that are plugged in, and what is missing to use others")
    .option("--json", "print one JSON document")
    .addHelpText("after", notes(NOTES))
    .action(runCameras);
}

async function runCameras({ json }: { readonly json?: true }): Promise<void> {
  const { listCameras } = await import("../sources/camera/list.ts");
  const { usbHints } = await import("../run/report/usb.ts");
  const reports = await listCameras();
  const hints = usbHints(reports);
  await print([json ? `${JSON.stringify({ drivers: reports, hints }, null, 2)}\n` : textOf(reports, hints)]);
}

function textOf(reports: readonly DriverReport[], hints: readonly string[]): string {
  const lines = reports.flatMap(({ driver, library, cameras, missing }) => [
    `${driver.padEnd(10)} ${library ?? `cannot be used: ${missing}`}`,
    ...(library && cameras.length === 0 ? ["           no camera is plugged in"] : []),
    ...cameras.flatMap(({ name, id, notes }) => [
      `           camera:${driver}:${id}  ${name}`,
      ...notes.map((note) => `             ${note}`),
    ]),
  ]);
  return `${[...lines, ...hints].map(plain).join("\n")}\n`;
}
