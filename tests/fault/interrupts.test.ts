import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { built, start } from "../cli/command.ts";
import { LONG } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";

// Ctrl-C and SIGTERM at moments of each command's whole run: its exit status, its last words, and what is left on disk. The suite takes one
// moment of each command; `npm run interrupts` takes 24 (or MOMENTS) of both signals, and prints a table.

const disk = useFolder();
const recording = join(disk.root, "room");
await writePngFolder(syntheticRoom({ width: 160, height: 120, frames: 30, cameraMotion: "sway" }), recording, {
  truth: false,
});
const CPU = ["--backend", "cpu"];

/** Each command: its name, its arguments where `at` is a folder for results, and the name of its results. */
const COMMANDS: [string, (at: string) => string[], string][] = [
  ["replay", (at) => [recording, ...CPU, "--out", join(at, "out")], "out"],
  ["filter", (at) => [recording, ...CPU, "--to", join(at, "out.mcap")], "out.mcap"],
  ["convert", (at) => [recording, join(at, "out")], "out"],
  ["scan", (at) => [recording, ...CPU, "--voxel", "2cm", "--out", join(at, "out.ply")], "out.ply"],
  ["measure", (_) => [recording, "--frames", "30"], ""],
  ["check", (at) => [recording, "--html", join(at, "out.html")], "out.html"],
  ["align", (at) => [recording, recording, "--frames", "30", "--out", join(at, "out.ply")], "out.ply"],
  ["synth", (at) => [join(at, "out"), "--size", "160x120", "--frames", "20"], "out"],
  ["serve", (_) => [recording, "--port", "0"], ""],
  ["batch", (at) => [recording, "--out", join(at, "out"), "--to", "mcap"], "out/report.html"],
];
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** The time in ms for a command that does not end by itself. */
const SERVING_MS = 2500;

/** Has Node say when it begins to run code: on a busy machine its own start takes seconds, in which signals are the system's. */
const SAID = "node runs";
const BEGUN = [
  "--import",
  `data:text/javascript,process.stderr.write(${encodeURIComponent(JSON.stringify(`${SAID}\n`))})`,
];

interface Seen {
  readonly status: number | null;
  readonly word: string;
  readonly endedMs: number;
  readonly left: string;
}

/** The names in a folder, without what differs from run to run. */
const leftIn = (at: string) => readdirSync(at).sort().join(" ") || "nothing";

/** Runs a command, sends it a signal after `ms`, and says how it ended; `undefined` where it had ended before. */
async function interrupted(args: string[], at: string, signal: NodeJS.Signals, ms: number): Promise<Seen | undefined> {
  mkdirSync(at, { recursive: true });
  const { child, ended } = start(args, BEGUN);
  let sentMs = Number.NaN;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    if (child.exitCode !== null) return;
    sentMs = performance.now();
    child.kill(signal);
  };
  child.stderr?.on("data", (text: string) => {
    if (text.includes(SAID)) timer ??= setTimeout(send, ms);
  });
  const { status, stderr } = await ended;
  clearTimeout(timer);
  const endedMs = performance.now() - sentMs;
  const left = leftIn(at);
  if (Number.isNaN(endedMs)) return undefined;
  return { status, word: stderr.trimEnd().split("\n").at(-1) ?? "", endedMs, left };
}

const rows: string[] = [];
afterAll(() => {
  if (LONG)
    console.log(
      ["| command | ended as it should | before its code ran | longest | left on disk |", ...rows].join("\n"),
    );
});

test.each(COMMANDS)("%s, interrupted at any moment, ends with 130 or 143 and says so", async (name, argsAt, result) => {
  const serves = name === "serve";
  await built();
  const whole = join(disk.root, name, "whole");
  mkdirSync(whole, { recursive: true });
  const beginMs = performance.now();
  if (!serves) expect(await start([name, ...argsAt(whole)]).ended).toMatchObject({ status: expect.any(Number) });
  const wholeMs = serves ? SERVING_MS : performance.now() - beginMs;
  const moments = LONG ? Number(process.env.MOMENTS ?? 24) : 1;
  const left = new Map<string, number>();
  let [right, early, of, longestMs] = [0, 0, 0, 0];
  for (const signal of LONG ? SIGNALS : SIGNALS.slice(0, 1)) {
    for (let k = 0; k < moments; k++) {
      const at = join(disk.root, name, `${signal}-${k}`);
      const ms = LONG ? (wholeMs * k) / moments : wholeMs / 2;
      const seen = await interrupted([name, ...argsAt(at)], at, signal, ms);
      const isThere = result !== "" && existsSync(join(at, result));
      rmSync(at, { recursive: true, force: true });
      if (!seen) continue;
      of++;
      // Node's own start leaves a signal to the system, by which the process ends without a status.
      if (seen.status === null) {
        early++;
        continue;
      }
      const wanted = 128 + constants.signals[signal];
      // A command that had all of its frames when the signal came may have written its whole result.
      const hadAll = /^depthloom: interrupted after (\d+) of \1 /.test(seen.word);
      const where = `${name}, ${signal} after ${ms.toFixed(0)} ms: ${seen.word}`;
      if (seen.status !== wanted) expect([seen.status, !result || isThere], where).toEqual([0, true]);
      else
        expect([isThere && !hadAll, seen.word], where).toEqual([
          false,
          expect.stringMatching(/^depthloom: interrupted/),
        ]);
      right++;
      longestMs = Math.max(longestMs, seen.endedMs);
      left.set(seen.left, (left.get(seen.left) ?? 0) + 1);
    }
  }
  const leftText = [...left].map(([names, count]) => `${names} (${count})`).join(", ");
  rows.push(`| \`${name}\` | ${right} of ${of} | ${early} | ${(longestMs / 1000).toFixed(1)} s | ${leftText} |`);
});
