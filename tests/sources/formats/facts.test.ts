import { describe, expect, test } from "vitest";
import { type OpenOptions, openRecording, type RecordedSource, syntheticRoom } from "../../../sources/index.ts";
import { type Contents, depthPng, depthValues, sevenScenesContents, tumContents, useFolder } from "../fixtures.ts";

// The facts of a recording: its format, unit, frame rate and lens, each with its origin.

const disk = useFolder();
const told = ({ facts }: RecordedSource) => facts.map(({ what, value, from }) => `${what}: ${value} (${from})`);

async function factsOf(contents: Contents, options: OpenOptions = {}): Promise<string[]> {
  const recording = await openRecording(disk.folder(contents), options);
  await recording.close();
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

  test('is "option" for the caller\'s options, which override recording.json', async () => {
    const options = { format: "png", metresPerUnit: 0.002, fps: 10, intrinsics: { fx: 1, fy: 2, cx: 3, cy: 4 } };
    const facts = await factsOf(described, options);
    expect(facts.filter((line) => line.endsWith("(option)"))).toEqual([
      "format: png (option)",
      "unit: 2 mm (option)",
      "fps: 10 (option)",
      "intrinsics: fx 1, fy 2, cx 3, cy 4 (option)",
    ]);
  });

  test('is "TUM default" for unit and lens of a TUM folder, and "files" for its frame rate', async () => {
    const contents = tumContents(3);
    const [, second] = String(contents["rgb.txt"]).split("\n");
    expect(await factsOf({ ...contents, "rgb.txt": `${second}\n` })).toEqual([
      "format: tum (files)",
      "frames: 3 (files)",
      "unit: 0.2 mm (TUM default)",
      "invalid: 0 (TUM default)",
      "fps: 30 (files)",
      "intrinsics: fx 525, fy 525, cx 319.5, cy 239.5 at 640×480, scaled to other sizes (TUM default)",
      "colour: 1 of 3 frames (files)",
    ]);
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
