import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { built, root } from "../cli/command.ts";
import { LONG } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { archives } from "./crafted/archives.ts";
import { bag } from "./crafted/bag.ts";
import type { Crafted } from "./crafted/crafted.ts";
import { db3 } from "./crafted/db3.ts";
import { films } from "./crafted/films.ts";
import { images } from "./crafted/images.ts";
import { lists } from "./crafted/lists.ts";
import { mcap } from "./crafted/mcap.ts";
import { recorders } from "./crafted/recorders.ts";
import { tables } from "./crafted/tables.ts";
import { texts } from "./crafted/texts.ts";

// Files of at most a megabyte, crafted to keep a reader busy for ever or to fill the memory: each opens and its first frames are read, or
// it is refused by a SourceError. One process opens all files of a kind, since starting a process for each would take too long. `npm run
// crafted` opens each file in a process of its own, with limits that the system measures: five seconds of CPU time, and
// 300 MiB more than an empty recording and the file's frames take.

const MOST_SECONDS = 5;
const MOST_MIB = 300;
/** Seconds of CPU time after which the system ends a process that opens all files of a kind. */
const END = 120;

const disk = useFolder();
const script = join(disk.root, "open.mjs");
const library = join(root, "dist", "sources.js");
beforeAll(async () => {
  // The script imports the built library, which must have the format under test.
  await built();
  writeFileSync(
    script,
    `import { existsSync, readFileSync } from "node:fs";
     import { openRecording, SourceError } from ${JSON.stringify(pathToFileURL(library).href)};
     for (const path of process.argv.slice(2)) {
       let [outcome, told] = ["opened", ""];
       try {
         const recording = await openRecording(path, { maxSeconds: 1000, minConfidence: 1, worker: ${LONG} });
         try {
           for (let i = 0; i < Math.min(recording.length, 3); i++) {
             await recording.read(i).catch((error) => { if (!(error instanceof SourceError)) throw error; });
             await recording.pose(i).catch((error) => { if (!(error instanceof SourceError)) throw error; });
           }
         } finally {
           await recording.close();
         }
       } catch (error) {
         outcome = error instanceof SourceError ? "refused" : "failed";
         told = outcome === "failed" ? error.stack : error.message;
       }
       const { userCPUTime, systemCPUTime } = process.resourceUsage();
       // "maxRSS" also counts the process before it ran this program.
       const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
       const peakMiB = Number(/VmHWM:\\s+(\\d+)/.exec(status)?.[1]) / 1024;
       console.log(JSON.stringify({ outcome, told, seconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB }));
     }`,
  );
});

interface Opened {
  readonly outcome: "opened" | "refused" | "failed";
  /** The error's message. */
  readonly told: string;
  /** The CPU time and the peak memory since the process began. */
  readonly seconds: number;
  readonly peakMiB: number;
}

/** Opens files in one new process. If the system ends the process, the outcomes of the later files are missing. */
async function open(paths: readonly string[]): Promise<readonly (Opened | undefined)[]> {
  const limited = ["-c", `ulimit -t ${END} && exec "$0" "$@"`, process.execPath, script, ...paths];
  const child = spawn("sh", limited, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => {
    text += some;
  });
  await new Promise((resolve) => child.on("close", resolve));
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

function expectOf({ file, told }: Crafted, opened: Opened | undefined): void {
  expect(opened?.outcome, `${file}: ${opened?.told}`).toBe(told === "opened" ? "opened" : "refused");
  if (told instanceof RegExp) expect(opened?.told, file).toMatch(told);
}

async function write({ file, make }: Crafted): Promise<string> {
  const bytes = await make();
  expect(bytes.length, file).toBeLessThanOrEqual(2 ** 20);
  return disk.file(file, bytes);
}

const kinds = { mcap, bag, db3, films, images, archives, lists, recorders, tables, texts };

describe.skipIf(LONG)("crafted files in one process", () => {
  test.each(Object.entries(kinds))(
    "of the kind %s open or are refused as expected",
    {
      timeout: 180_000,
    },
    async (_, all) => {
      const files = all.filter(({ slow }) => !slow);
      const paths: string[] = [];
      for (const file of files) paths.push(await write(file));
      const opened = await open(paths);
      for (const [i, file] of files.entries()) expectOf(file, opened[i]);
    },
  );
});

describe.skipIf(!LONG || process.platform !== "linux")("a crafted file in a process of its own", () => {
  let empty = 0;
  beforeAll(async () => {
    empty = (await open([disk.file("empty.png", new Uint8Array(0))]))[0]?.peakMiB ?? 0;
  });
  test.each(Object.values(kinds).flat())(
    "($file) opens or is refused as expected, within limits of time and memory",
    async (crafted) => {
      const [opened] = await open([await write(crafted)]);
      expectOf(crafted, opened);
      const { seconds = Number.NaN, peakMiB = Number.NaN, outcome, told } = opened ?? {};
      const over = Math.round(peakMiB - empty - (crafted.frames ?? 0));
      console.log(`${crafted.file}: ${seconds.toFixed(2)} s, ${over} MiB, ${outcome} ${told}`);
      expect(seconds).toBeLessThan(MOST_SECONDS);
      expect(over).toBeLessThan(MOST_MIB);
    },
  );
});
