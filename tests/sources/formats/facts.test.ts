import { describe, expect, test } from "vitest";
import { type OpenOptions, openRecording, type RecordedSource, syntheticRoom } from "../../../sources/index.ts";
import { type Contents, depthPng, depthValues, sevenScenesContents, tumContents, useFolder } from "../fixtures.ts";

// The facts of a recording: its format, unit, frame rate and lens, each with its origin.

const disk = useFolder();
const told = ({ facts }: RecordedSource) => facts.map(({ what, value, from }) => `${what}: ${value} (${from})`);

async function factsOf(contents: Contents, options: OpenOptions = {}): Promise<string[]> {
  await using recording = await openRecording(disk.folder(contents), options);
  return told(recording);
}

describe("the origin of a fact", () => {
  const pngs = { "depth/0.png": depthPng(depthValues(0)), "depth/1.png": depthPng(depthValues(1)) };

  test('is "assumed" for a folder of PNGs without recording.json', async () => {
    expect(await factsOf(pngs)).toEqual([
      "format: png (files)",
      "frames: 2 (files)",
      "unit: 1 mm (assumed)",
      "invalid: 0 (assumed)",
      "fps: 30 (assumed)",
      "intrinsics: 58° horizontal field of view, square pixels (assumed)",
      "colour: none (files)",
    ]);
  });

  test("stands in each frame where lens, unit or rate is a guess", async () => {
    const assumedIn = async (contents: Contents, options: OpenOptions = {}) => {
      await using recording = await openRecording(disk.folder(contents), options);
      return (await recording.read(0)).assumed;
    };
    expect(await assumedIn(pngs)).toEqual(["lens", "unit", "rate"]);
    expect(await assumedIn(pngs, { metresPerUnit: 0.001, fps: 30 })).toEqual(["lens"]);
    expect(await assumedIn(tumContents(2))).toEqual(["lens"]);
    expect(await assumedIn(tumContents(2), { intrinsics: { fx: 9, fy: 9, cx: 3, cy: 2 } })).toBeUndefined();
  });

  const described = {
    ...pngs,
    "recording.json": JSON.stringify({
      metresPerUnit: 0.000125,
      invalid: [0, 65535],
      fps: 15,
      intrinsics: { fx: 9, fy: 8.5, cx: 3, cy: 2 },
    }),
  };

  test("is recording.json for the fields that recording.json states", async () => {
    expect((await factsOf(described)).slice(2, 6)).toEqual([
      "unit: 0.125 mm (recording.json)",
      "invalid: 0, 65535 (recording.json)",
      "fps: 15 (recording.json)",
      "intrinsics: fx 9, fy 8.5, cx 3, cy 2 (recording.json)",
    ]);
  });

  test("is an option for what is assumed, and only where the recording does not say it", async () => {
    const assume = { metresPerUnit: 0.0005, fps: 5, intrinsics: { fx: 7, fy: 7, cx: 3, cy: 2 } };
    const bare = await factsOf(pngs, { assume });
    const entered = ["unit: 0.5 mm (option)", "fps: 5 (option)", "intrinsics: fx 7, fy 7, cx 3, cy 2 (option)"];
    expect(bare.filter((line) => line.endsWith("(option)"))).toEqual(entered);
    expect(await factsOf(described, { assume })).toEqual(await factsOf(described));
    await expect(factsOf(pngs, { assume: { fps: -1 } })).rejects.toThrow(/assume must be an object of metresPerUnit/);
  });

  test('is "7-Scenes default" for a 7-Scenes folder, and "option" for colour switched off', async () => {
    const facts = await factsOf(sevenScenesContents(2), { color: false });
    expect(facts.filter((line) => line.includes("7-Scenes default"))).toHaveLength(4);
    expect(facts.at(-1)).toBe("colour: none (option)");
    expect((await factsOf(sevenScenesContents(2))).at(-1)).toBe("colour: all frames (files)");
  });

  test('is "synthetic" for a synthetic scene', () => {
    expect(told(syntheticRoom({ width: 32, height: 24, frames: 5, color: true }))).toEqual([
      "format: synthetic (synthetic)",
      "frames: 5 (synthetic)",
      expect.stringMatching(/^unit: \S+ mm \(synthetic\)$/),
      "invalid: 0 (synthetic)",
      "fps: 30 (synthetic)",
      expect.stringMatching(/^intrinsics: fx \S+, fy \S+, cx 15.5, cy 11.5 \(synthetic\)$/),
      "colour: all frames (synthetic)",
    ]);
  });
});
