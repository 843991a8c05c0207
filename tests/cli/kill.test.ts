import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openRecording } from "../../sources/index.ts";
import { randomOf } from "../fault/mutate.ts";
import { LONG } from "../mode.ts";
import { tumContents, useFolder } from "../sources/fixtures.ts";
import { built, depthloom, hashOf, start } from "./command.ts";

// Results are whole and keep their unit if a run is killed or meets another run in its folder.

const disk = useFolder();
const lens = JSON.stringify({ intrinsics: { fx: 5, fy: 5, cx: 3, cy: 2 } });
const recording = disk.folder({ ...tumContents(300), "recording.json": lens });
const PLAIN = ["--stages", "median", "--backend", "cpu"];
const random = randomOf(9);

beforeAll(() => built());
/** The hash of what a run leaves that nobody stops. */
const oneGo = join(disk.root, "one-go");
const wholeHash = depthloom("replay", recording, "--out", oneGo, ...PLAIN).then(() => hashOf(join(oneGo, "depth")));

const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);

/** Reads every frame in a folder of results and expects the unit in which they were written. Returns their number. */
async function expectWhole(out: string): Promise<number> {
  const written = await openRecording(out);
  expect(written.facts.find(({ what }) => what === "unit")).toMatchObject({ value: "0.2 mm", from: "recording.json" });
  for (let i = 0; i < written.length; i++) await written.read(i);
  await written.close();
  return written.length;
}

test.each(Array.from({ length: LONG ? 20 : 2 }, () => 1 + random(60)))(
  "replay --out, killed by SIGKILL after %i files, leaves whole frames under another name, from which the same command goes on",
  async (files) => {
    const out = join(disk.root, `killed-${files}-${random(1e6)}`);
    const { child, ended } = start(["replay", recording, "--out", out, ...PLAIN]);
    const part = `${out}.partial`;
    const poll = setInterval(() => {
      if (namesIn(join(part, "depth")).length >= files) child.kill("SIGKILL");
    }, 1);
    await ended;
    clearInterval(poll);
    expect(existsSync(out)).toBe(false);
    const kept = namesIn(join(part, "depth")).filter((name) => name.endsWith(".png"));
    expect(await expectWhole(part)).toBe(kept.length);
    const other = ["replay", recording, "--out", out, "--frames", "2", ...PLAIN];
    const refused = await depthloom(...other);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/of another run is there; .*\n\(--force/),
    ]);
    const written = kept.map((name) => statSync(join(part, "depth", name)).mtimeMs);
    const { status, stderr } = await depthloom("replay", recording, "--out", out, ...PLAIN);
    expect([status, stderr]).toEqual([0, expect.stringContaining(`going on after the ${kept.length} frames`)]);
    expect(hashOf(join(out, "depth"))).toBe(await wholeHash);
    expect(kept.map((name) => statSync(join(out, "depth", name)).mtimeMs)).toEqual(written);
    expect([existsSync(part), existsSync(`${part}.json`)]).toEqual([false, false]);
    // The folder has a list of the files of both runs, too, by which --force clears them.
    expect(await depthloom(...other, "--force")).toMatchObject({ status: 0 });
    expect(namesIn(join(out, "depth"))).toEqual(["000000.png", "000001.png"]);
  },
);

test("two runs into one folder replace no file of each other, and a run that fails says so in one line", async () => {
  const out = join(disk.root, "shared");
  mkdirSync(out);
  const runs = await Promise.all([1, 2].map(() => start(["replay", recording, "--out", out, ...PLAIN]).ended));
  const lines = runs.map(({ stderr }) => stderr.split("\n").filter((line) => line.startsWith("depthloom: ")));
  for (const [i, { status }] of runs.entries()) {
    expect(lines[i]).toHaveLength(status === 0 ? 0 : 1);
    expect(lines[i]?.join("")).toMatch(
      status === 0 ? /^$/ : /: (another run|process \d+) is writing there|has written this file|is not empty/,
    );
  }
  expect(await expectWhole(out)).toBeGreaterThan(0);
  expect(readFileSync(join(out, ".depthloom"), "utf8")).toMatch(/^# files that depthloom wrote here/);
});
