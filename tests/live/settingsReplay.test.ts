import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { openRecording } from "../../sources/index.ts";
import { registry } from "../../stages/registry.ts";
import type { SettingsTarget } from "../../viewer/live/state/changedValues.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { applySettingsFile, settingsFileOf } from "../../viewer/live/state/settingsFile.ts";
import { setValues } from "../../viewer/live/state/setValues.ts";
import { pngZip, tumZip } from "../browser/recordings.ts";
import { replayHere, requestOf } from "../cli/replayHere.ts";
import { depthHash } from "../sources/fixtures.ts";

// The viewer and `replay --settings` compute the same depth, bit for bit, whichever of the two wrote the
// settings file.

const FRAMES = 4;
const folder = mkdtempSync(join(tmpdir(), "depthloom-settings-"));
const recordings = { "tum.zip": tumZip(FRAMES), "png.zip": pngZip(FRAMES) };

beforeAll(() => {
  for (const [name, bytes] of Object.entries(recordings)) writeFileSync(join(folder, name), bytes);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The viewer's stages, without its page. */
async function viewer(): Promise<SettingsTarget & { readonly pipeline: Pipeline }> {
  const pipeline = await createPipeline({ stages: [...registry.values()].map((create) => create()), backend: "cpu" });
  // Nothing is drawn here.
  pipeline.configure("dofSplat", { enabled: false });
  pipeline.configure("paint", { enabled: false });
  // These recordings have no pair, without which a replay refuses the stage.
  pipeline.configure("stereo", { enabled: false });
  return { pipeline, settings: createStore("cpu") };
}

async function hashesOf({ pipeline }: { readonly pipeline: Pipeline }, path: string): Promise<string[]> {
  const recording = await openRecording(path);
  const hashes: string[] = [];
  for (let i = 0; i < recording.length; i++) {
    const frame = await pipeline.run(await recording.read(i));
    hashes.push(depthHash((await frame.readDepth()).data));
  }
  await recording.close();
  return hashes;
}

async function replayed(path: string, settings: string, out: string): Promise<string[]> {
  await using recording = await openRecording(path);
  const request = requestOf({ recording: path, chosen: chooseStages(undefined, settings), out });
  const { outputs, error } = await replayHere(recording, request);
  if (error) throw error;
  return [...outputs].map(({ depthSha256 }) => depthSha256);
}

const SETTINGS: readonly (readonly [what: string, fields: readonly (readonly [string, string])[]])[] = [
  ["nothing", []],
  ["a preset", [["preset", "strong"]]],
  ["all filters off", [["preset", "raw"]]],
  [
    "order, switches and parameters",
    [
      ["on", "fillHoles,threshold,decimate"],
      ["off", "despeckle"],
      ["order", "fillHoles,temporal,bilateralGrid,median,decimate,threshold"],
      ["median.size", "5"],
      ["bilateralGrid.fit", "constant"],
      ["bilateralGrid.sigmaDepthMm", "40"],
      ["threshold.maxM", "2.5"],
      ["fillHoles.reachPx", "16"],
    ],
  ],
];

test.each(Object.keys(recordings))(
  "%s: the viewer and a replay with the viewer's settings file compute the same depth",
  async (name) => {
    const path = join(folder, name);
    const seen = new Set<string>();
    for (const [i, [what, fields]] of SETTINGS.entries()) {
      const shown = await viewer();
      expect(setValues(fields, shown).complaints).toEqual([]);
      const hashes = await hashesOf(shown, path);
      const settings = join(folder, `${name}-${i}.json`);
      const out = join(folder, `${name}-${i}`);
      writeFileSync(settings, JSON.stringify(settingsFileOf(shown, { focusM: 1.5 })));
      expect(await replayed(path, settings, out), what).toEqual(hashes);
      // And back: a viewer with other settings takes the settings file of the replay.
      const other = await viewer();
      setValues(
        [
          ["on", "fillHoles"],
          ["order", "median,despeckle"],
          ["median.size", "5"],
          ["temporal.leastGain", "1"],
        ],
        other,
      );
      expect(applySettingsFile(readFileSync(join(out, "settings.json"), "utf8"), other).complaints).toEqual([]);
      expect(await hashesOf(other, path), what).toEqual(hashes);
      seen.add(hashes.join());
      await Promise.all([shown.pipeline.destroy(), other.pipeline.destroy()]);
    }
    expect(seen.size).toBe(SETTINGS.length);
  },
);
