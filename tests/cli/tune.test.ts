import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { overridesFor, profileKey, profilesFor, saveProfile } from "../../pipeline/tune/profile.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { variants as ofCompact } from "../../stages/compact/gpu.ts";
import { defaultsFor, withValue } from "../../stages/core/tuning.ts";
import { variants } from "../../stages/dofSplat/index.ts";
import { stageNamed } from "../../stages/registry.ts";
import { writeTum } from "../../write/index.ts";
import { useGpu } from "../gpu.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();
const gpu = useGpu();

/** Runs `work` with a cache of its own, so that the user's cache is not touched. */
async function withCache<T>(name: string, work: (file: string) => Promise<T>): Promise<T> {
  const before = process.env.XDG_CACHE_HOME;
  const cache = join(disk.root, name);
  mkdirSync(join(cache, "depthloom"), { recursive: true });
  process.env.XDG_CACHE_HOME = cache;
  try {
    return await work(join(cache, "depthloom", "profiles.json"));
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  }
}

const adapter = () => ["--adapter", gpu.gpu.software ? "software" : "hardware"];

describe("the command tune", () => {
  test("measures and checks variants, writes a figure and a profile, and a pipeline uses the profile", async () => {
    await withCache("whole", async (file) => {
      const recording = join(disk.root, "room");
      await writeTum(syntheticRoom({ width: 64, height: 48, frames: 1 }), recording);
      const html = join(disk.root, "figure.html");
      const args = [
        "--recording",
        recording,
        "--set",
        "nearM=1",
        "--budget",
        "4",
        ...adapter(),
        "--json",
        "--html",
        html,
      ];
      const { status, stdout, stderr } = await depthloom("tune", "compact", ...args);
      expect([status, stderr.includes("fast to slow")], stderr).toEqual([0, true]);
      const document = JSON.parse(stdout);
      expect(document).toMatchObject({ stage: "compact", adapter: { software: gpu.gpu.software } });
      expect(document.variants.length).toBeGreaterThan(1);
      for (const variant of document.variants) {
        expect(variant.fault, JSON.stringify(variant)).toBeUndefined();
        if (!variant.pruned) expect(variant).toMatchObject({ checked: true, medianUs: expect.any(Number) });
      }
      expect(document.default.overrides).toEqual(defaultsFor(ofCompact, gpu.device));
      expect(document.best.medianUs).toBeLessThanOrEqual(document.default.medianUs);
      expect(readFileSync(html, "utf8")).toContain("move.WORKGROUP");
      const saved = JSON.parse(readFileSync(file, "utf8"))[profileKey(gpu.gpu)].compact;
      expect(saved.overrides).toEqual(document.best.overrides);
      const pipeline = await createPipeline({ stages: [stageNamed("compact")], gpu: gpu.gpu });
      expect(pipeline.profiles.get("compact")?.overrides).toEqual(document.best.overrides);
      const untuned = await createPipeline({ stages: [stageNamed("compact")], gpu: gpu.gpu, tuned: false });
      expect(untuned.profiles.size).toBe(0);
    });
  });

  test("fails with the name of a recording that does not exist", async () => {
    const asked = ["dofSplat", "--recording", join(disk.root, "none"), ...adapter()];
    const { status, stderr } = await depthloom("tune", ...asked);
    expect(status).toBe(1);
    expect(stderr).toMatch(/none.*no such file or folder/);
  });
});

describe("a tuning profile", () => {
  const entry = (overrides: object) => ({ overrides, medianUs: 1, defaultUs: 2, date: "2026-11-21" }) as never;

  test("is kept for each device and stage, and read again", async () => {
    await withCache("kept", async (file) => {
      const other = { ...gpu.gpu, description: "another driver" };
      await saveProfile(gpu.gpu, "dofSplat", entry({ order: { LANES: 64 } }));
      await saveProfile(other, "dofSplat", entry({ order: { LANES: 256 } }));
      await saveProfile(gpu.gpu, "median", entry({}));
      const profiles = await profilesFor(gpu.gpu);
      expect([...profiles.keys()]).toEqual(["dofSplat", "median"]);
      const expected = withValue(defaultsFor(variants, gpu.device), "order", "LANES", 64);
      expect(overridesFor(stageNamed("dofSplat"), gpu.gpu, profiles)).toEqual(expected);
      expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toHaveLength(2);
    });
  });

  test.each([
    ["cut short", '{ "a": {'],
    ["of another kind", "[1, 2]"],
    ["with an entry of another form", JSON.stringify({ KEY: { dofSplat: { overrides: 7 } } })],
  ])("that is %s counts as none, and is written anew", async (name, text) => {
    await withCache(name, async (file) => {
      writeFileSync(file, text.replace("KEY", profileKey(gpu.gpu)));
      expect((await profilesFor(gpu.gpu)).size).toBe(0);
      await saveProfile(gpu.gpu, "dofSplat", entry({ order: { LANES: 64 } }));
      expect((await profilesFor(gpu.gpu)).size).toBe(1);
    });
  });
});
