import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import * as parts from "../../cli/parts.js";
import { useFolder } from "../sources/fixtures.ts";

// The commands of README.md, word by word and in their order, in a clean clone.

const root = fileURLToPath(new URL("../..", import.meta.url));
const disk = useFolder();
const clone = join(disk.root, "depthloom");
const readme = readFileSync(join(root, "README.md"), "utf8");
const fenced = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)];
const blocks = fenced.flatMap(([, language, block = ""]) => (language === "" ? [block] : []));

/**
 * README's commands that `.ci/run` has run already, in a clean clone. This test does not run them again: its clone gets the results of
 * `npm ci`.
 */
const BY_CI = ["npm ci", "npm test"];

beforeAll(async () => {
  execFileSync("git", ["clone", "-q", root, clone]);
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  // What this checkout has built of the very same sources takes the clone a minute to build again.
  const isClean = execFileSync("git", ["status", "--porcelain"], { cwd: root }).length === 0;
  if (isClean && parts.isBuilt(parts.PACKAGE, parts.fingerprint(parts.PACKAGE))) {
    const theirs: typeof parts = await import(pathToFileURL(join(clone, "cli/parts.js")).href);
    cpSync(parts.dist, theirs.dist, { recursive: true });
    for (const part of [theirs.LIBRARY, theirs.APP, theirs.PACKAGE])
      writeFileSync(part.stamp, theirs.fingerprint(part));
  }
  execFileSync("npm", ["run", "-s", "dependencies"], { cwd: clone });
});

const run = (command: string) =>
  execFileSync("bash", ["-ec", command], { cwd: clone, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Runs a command that serves a page until it has printed the address, and ends it as Ctrl-C does. */
async function served(command: string): Promise<{ address: string; page: string; status: number | null }> {
  const child = spawn("bash", ["-c", `exec ${command}`], {
    cwd: clone,
    detached: true,
    env: { ...process.env, BROWSER: "true" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await expect.poll(() => said, { timeout: 120_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  const address = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(said)?.[0] ?? "";
  const page = await (await fetch(address)).text();
  if (child.pid) process.kill(-child.pid, "SIGINT");
  return { address, page, status: await ended };
}

test("the first block is run by .ci/run, but for the viewer, which serves its page", async () => {
  const [first = ""] = blocks;
  expect(first.split("\n").filter((line) => !line.startsWith("npx"))).toEqual(BY_CI);
  const ci = readFileSync(join(root, ".ci/run"), "utf8").split("\n");
  for (const line of BY_CI) expect(ci).toContain(line);
  const { page } = await served("npx depthloom view");
  expect(page).toContain("<title>Depthloom");
});

test("the other blocks end well, and leave what README.md says", () => {
  const others = blocks.slice(1);
  expect(others.length).toBeGreaterThan(1);
  for (const block of others) run(block.replace(/\n/g, " && "));
  const written = readdirSync(join(clone, "clean"));
  expect(written).toEqual(expect.arrayContaining(["depth", "latency.json", "points", "view"]));
  expect(existsSync(join(disk.root, "my-project/node_modules/.bin/depthloom"))).toBe(true);
});
