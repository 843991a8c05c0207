import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { run } from "../../cli/program.ts";
import type { FrameOutput } from "../../run/replay/outputLog.ts";
import type { ReplayDocument } from "../../run/replay/report.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const launcher = join(root, "cli/launch.js");
/** The program to run: the launcher until it has built the command once, then the command itself, which starts faster. */
let script = launcher;

export type Document = ReplayDocument & { readonly outputs: readonly FrameOutput[] };

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A hash over a file, or over the names and contents of a folder's files and folders. */
export function hashOf(path: string): string {
  if (!statSync(path).isDirectory()) return createHash("sha256").update(readFileSync(path)).digest("hex");
  const inside = readdirSync(path).sort();
  const hashes = inside.map((name) => `${name} ${hashOf(join(path, name))}`);
  return createHash("sha256").update(hashes.join("\n")).digest("hex");
}

/** Options and commands that are followed by a place to write to. */
const WRITES = new Set(["--out", "--html", "--poses", "--poses-out", "--tf", "--picture", "synth"]);

/** The existing files and folders of a command line that are not its output. */
const inputsOf = (args: readonly string[]) =>
  args.filter(
    (arg, i) =>
      arg.includes("/") && existsSync(arg) && !WRITES.has(args[i - 1] ?? "") && !(i === 2 && args[0] === "convert"),
  );

/** Notes the inputs of a command line. The function that it returns throws if the command changed any of them. */
function guarded(args: readonly string[]): () => void {
  const inputs = inputsOf(args).map((path) => [path, hashOf(path)] as const);
  return () => {
    const changed = inputs.find(([path, before]) => !existsSync(path) || hashOf(path) !== before);
    if (changed) throw new Error(`${args.join(" ")}: the input ${changed[0]} is not what it was`);
  };
}

/**
 * Runs `npm run depthloom -- …` as its script does, in a process of its own: for tests of signals, pipes and servers. `ended` rejects if
 * the command changed any of its inputs.
 */
export function start(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  stdin: "ignore" | "pipe" = "ignore",
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const check = guarded(args);
  const child = spawn(process.execPath, [...nodeOptions, script, ...args], { stdio: [stdin, "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const closed = new Promise<number | null>((resolve, reject) => void child.on("error", reject).on("close", resolve));
  const ended = closed.then((status) => {
    if (status === 0) script = join(root, "dist/cli.js");
    check();
    return { status, ...texts };
  });
  return { child, ended };
}

/** As `start`; with the end of the test the command is killed and has ended, before the test's files are removed. */
export function startForTest(...how: Parameters<typeof start>): ReturnType<typeof start> {
  const started = start(...how);
  onTestFinished(async () => {
    started.child.kill("SIGKILL");
    await started.ended;
  });
  return started;
}

/**
 * A command that serves, as by `startForTest`, once it has told its address. `input` goes to its standard input; `said` returns what it has
 * written to standard error.
 */
export async function serving(args: readonly string[], input?: Iterable<Uint8Array>) {
  const { child, ended } = startForTest(args, [], input ? "pipe" : "ignore");
  // The sender is cut off when the server ends.
  if (input && child.stdin) pipeline(input, child.stdin).catch(() => {});
  let text = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (more: string) => {
      text += more;
      const [found] = text.match(/(http|ws):\/\/\S+/) ?? [];
      if (found) resolve(found);
    });
    child.on("close", () => reject(new Error(text)));
  });
  return { child, ended, address, said: () => text };
}

/** Builds dist/ where a source has changed since, for tests that load dist/. `depthloom`, below, runs the sources and builds nothing. */
export const built = (): Promise<Ended> => start(["--version"]).ended;

/** The command that runs in this process now. */
let running: Promise<unknown> = Promise.resolve();

/** Runs `depthloom …` in this process, which is faster than another, after those that run already. Rejects if it changed any input. */
export function depthloom(...args: readonly string[]): Promise<Ended> {
  const ended = running.then(() => runHere(args));
  running = ended.catch(() => {});
  return ended;
}

async function runHere(args: readonly string[]): Promise<Ended> {
  const check = guarded(args);
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const returned = await run(args);
    check();
    return { status: Number(returned ?? process.exitCode ?? 0), ...texts };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = before;
  }
}

/** Runs a replay that must succeed. Returns its JSON document. */
export async function replayed(recording: string, ...args: readonly string[]): Promise<Document> {
  const { status, stdout, stderr } = await depthloom("replay", recording, "--json", ...args);
  if (status !== 0) throw new Error(`exit status ${status}\n${stderr}\n${stdout}`);
  return JSON.parse(stdout) as Document;
}
