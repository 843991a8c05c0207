import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FrameOutput } from "../../viewer/replay/outputLog.ts";
import type { ReplayDocument } from "../../viewer/replay/report.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const launcher = fileURLToPath(new URL("../../viewer/cli/launch.js", import.meta.url));

export type Document = ReplayDocument & { readonly outputs: readonly FrameOutput[] };

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm run depthloom -- …`, as its script runs it. */
export function start(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...nodeOptions, launcher, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...texts }));
  });
  return { child, ended };
}

export const depthloom = (...args: readonly string[]): Promise<Ended> => start(args).ended;

/** A replay that must succeed, with its JSON. */
export async function replayed(recording: string, ...args: readonly string[]): Promise<Document> {
  const { status, stdout, stderr } = await depthloom("replay", recording, "--json", ...args);
  if (status !== 0) throw new Error(`exit status ${status}\n${stderr}\n${stdout}`);
  return JSON.parse(stdout) as Document;
}
