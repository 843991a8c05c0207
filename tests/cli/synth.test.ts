import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MANIFEST } from "../../run/report/ownFolder.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();
const SMALL = ["--size", "80x60", "--frames", "3"];

describe("synth", () => {
  test.each(["tum", "png"] as const)("writes a %s recording with its ground truth", async (format) => {
    const out = join(disk.root, format);
    const { status, stdout, stderr } = await depthloom("synth", out, "--format", format, "--fps", "15", ...SMALL);
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toBe(`${out}: 3 of 3 frames written (${format})\n`);
    const noisy = await disk.open(out);
    const truth = await disk.open(join(out, "truth"));
    expect([noisy.format, noisy.length, truth.length]).toEqual([format, 3, 3]);
    const [seen, real] = [await noisy.read(1), await truth.read(1)];
    expect([seen.depth.shape, real.depth.shape]).toEqual([
      [60, 80],
      [60, 80],
    ]);
    const pairs = Array.from(seen.depth.data, (value, i) => [
      value * seen.metresPerUnit,
      real.depth.data[i] * real.metresPerUnit,
    ]);
    const valid = pairs.filter(([a, b]) => a && b);
    const apart = valid.map(([a = 0, b = 0]) => Math.abs(a - b)).sort((a, b) => a - b);
    expect(valid.length).toBeGreaterThan(80 * 60 * 0.6);
    expect(apart[Math.floor(apart.length / 2)]).toBeLessThan(0.03);
    expect(apart.at(-1)).toBeGreaterThan(0);
  });

  test("writes the same each time, other noise with another --seed, and none with --no-noise", async () => {
    const depth = async (name: string, ...args: string[]) => {
      const out = join(disk.root, name);
      await depthloom("synth", out, "--format", "png", ...SMALL, ...args);
      return readdirSync(join(out, "depth")).map((file) => readFileSync(join(out, "depth", file)).toString("base64"));
    };
    const first = await depth("first");
    expect(await depth("second")).toEqual(first);
    expect(await depth("third", "--seed", "2")).not.toEqual(first);
    expect(await depth("other", "--sensor", "kinect-v2")).not.toEqual(first);
    await depth("clean", "--no-noise", "--no-color");
    expect(readdirSync(join(disk.root, "clean"))).not.toContain("color");
    const [exact, truth] = ["depth", "truth/depth"].map((part) =>
      readFileSync(join(disk.root, "clean", part, "000002.png")),
    );
    expect(exact).toEqual(truth);
  });

  test("with --force clears its earlier files of any layout, and no other file", async () => {
    const out = disk.folder({});
    await depthloom("synth", out, ...SMALL);
    writeFileSync(join(out, "mine.txt"), "x");
    const again = ["--format", "png", "--size", "80x60", "--frames", "1", "--force"];
    expect(await depthloom("synth", out, ...again)).toMatchObject({ status: 0 });
    expect(readdirSync(out).sort()).toEqual([
      MANIFEST,
      "color",
      "depth",
      "mine.txt",
      "recording.json",
      "times.csv",
      "truth",
    ]);
    expect(readdirSync(join(out, "depth"))).toEqual(["000000.png"]);
    expect(readdirSync(join(out, "truth", "depth"))).toEqual(["000000.png"]);
  });
});
