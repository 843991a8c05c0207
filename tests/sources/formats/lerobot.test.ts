import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { type OpenOptions, openRecording } from "../../../sources/index.ts";
import { type Contents, depthPng, failure, useFolder, zipOf } from "../fixtures.ts";
import { codeOf, depthMm, filmOf, KEY, type LerobotParts, lerobotContents, SIDE } from "../makers/lerobot.ts";
import { floats, tiffOf } from "../makers/still.ts";

// LeRobot's data sets: depth in tables and in films, an episode a recording, with unit, rate and lens from the files.

const disk = useFolder();
const folder = mkdtempSync(join(tmpdir(), "depthloom-films-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LENGTHS = [3, 4];
const all = LENGTHS.flatMap((length, episode) => Array.from({ length }, (_, frame) => depthMm(episode, frame)));
const codes = all.map((mm) => mm.map(codeOf));
const canEncode = filmOf(join(folder, "depth.mp4"), codes);
const contents = (parts: Partial<LerobotParts> = {}) => lerobotContents({ lengths: LENGTHS, ...parts });

async function opened(given: Contents | string, options: OpenOptions = {}) {
  const path = typeof given === "string" ? given : disk.folder(given);
  await using recording = await openRecording(path, { worker: false, ...options });
  const frames = [];
  for (let i = 0; i < recording.length; i++) frames.push(await recording.read(i));
  return { ...recording, frames, facts: Object.fromEntries(recording.facts.map(({ what, from }) => [what, from])) };
}

describe("depth in tables", () => {
  const png = (episode: number, frame: number) => depthPng(depthMm(episode, frame), SIDE.width, SIDE.height);
  const metres = (episode: number, frame: number) =>
    tiffOf({ ...SIDE, bits: 32, values: floats([...depthMm(episode, frame)].map((mm) => mm / 1000)) });
  test.each<readonly [string, Partial<LerobotParts>, string]>([
    ["TIFFs of 16 bits of v3", {}, "file meta/info.json"],
    ["TIFFs of floats of v3", { image: metres, said: { depth_unit: "m" } }, "TIFF default"],
    ["PNGs of v2.1", { image: png, version: "v2.1" }, "file meta/info.json"],
    ["tenths of a millimetre", { said: { depth_unit: undefined, depth_scale: 0.0001 } }, "file meta/info.json"],
  ])("as %s is exact, in every episode", async (_, { image, ...parts }, unitFrom) => {
    for (const episode of [0, 1]) {
      const { frames, format, fps, facts, warnings } = await opened(contents({ ...parts, ...(image && { image }) }), {
        topic: `${KEY} episode ${episode}`,
      });
      expect([format, fps, frames.length, warnings]).toEqual(["lerobot", 30, LENGTHS[episode], []]);
      expect(facts).toMatchObject({ unit: unitFrom, fps: "file meta/info.json", intrinsics: "topic head.intrinsics" });
      frames.forEach((frame, i) => {
        expect(frame.depth.data, `frame ${i}`).toEqual(depthMm(episode, i));
        expect(frame).toMatchObject({
          metresPerUnit: parts.said && "depth_scale" in parts.said ? 0.0001 : 0.001,
          intrinsics: { fx: 58.25, fy: 58.5, cx: 31.75, cy: 24.25 },
          timestamp: (1000 * i) / 30,
        });
      });
    }
  });

  test("opens its first episode with a warning, lists the others, and finds one by its number", async () => {
    const first = await opened(contents());
    expect(first.warnings).toEqual([expect.stringContaining("2 episodes, each a recording; this is episode 0")]);
    expect(first.topics?.map(({ name, frames }) => [name, frames])).toEqual([
      [`${KEY} episode 0`, 3],
      [`${KEY} episode 1`, 4],
    ]);
    expect((await opened(contents(), { topic: "episode 1" })).topic).toBe(`${KEY} episode 1`);
    const zip = disk.file("set.zip", zipOf(contents()));
    expect((await opened(zip, { topic: KEY })).frames[2].depth.data).toEqual(depthMm(0, 2));
  });

  test("takes the lens of the feature's own fields first", async () => {
    const lens = { intrinsics: { fx: 70, fy: 71, ppx: 30, ppy: 20 } };
    const { frames, facts } = await opened(contents({ said: lens }));
    expect(frames[0].intrinsics).toMatchObject({ fx: 70, fy: 71, cx: 30, cy: 20 });
    expect(facts.intrinsics).toBe("file meta/info.json");
  });

  test("that is not what meta/info.json counts is told, and what is missing is named", async () => {
    const { warnings } = await opened(contents({ info: { total_frames: 900 } }), { topic: "episode 0" });
    expect(warnings).toEqual([expect.stringContaining("900 frames in 2 episodes, and there are 7 in 2")]);
    const { "data/chunk-000/file-000.parquet": _, ...without } = contents();
    const tall = { features: { [`${KEY}.other`]: { dtype: "image", info: { is_depth_map: true } } } };
    for (const [given, options, told] of [
      [without, {}, "file-000.parquet: it is missing"],
      [contents(), { topic: "episode 9" }, "it has no episode 9; there are 0 to 1"],
      [contents(), { topic: "nothing" }, `it has no depth feature "nothing"; there is ${KEY}`],
      [contents(tall), {}, "it has 2 depth topics; choose one"],
      [contents({ info: { codebase_version: "v1.6" } }), {}, "only v2 and v3 are read"],
      [contents({ info: { features: { action: { dtype: "float32" } } } }), {}, "features is depth; it has action"],
      [contents({ image: () => new Uint8Array(0) }), {}, `row 0, ${KEY}: there is no image`],
    ] as const)
      expect(await failure(disk.folder(given), { worker: false, ...options }), told).toContain(told);
  });
});

describe.skipIf(!canEncode)("depth in films, by ffmpeg", () => {
  const film = (name: string, pixels: string, codec: string) => {
    const path = join(folder, name);
    expect(filmOf(path, all, pixels, [codec])).toBe(true);
    return readFileSync(path);
  };
  const hevc = () => readFileSync(join(folder, "depth.mp4"));
  /** Codes are at most 2 mm apart near 2.5 m. */
  const near = (mm: Uint16Array, real: Uint16Array) =>
    mm.forEach((value, i) => {
      if (Math.abs(value - real[i]) > (real[i] === 0 ? 0 : 1)) throw new Error(`pixel ${i}: ${value}, not ${real[i]}`);
    });

  test("of 12 bits is what LeRobot's code says, code 0 invalid, in order and by seeking into any episode", async () => {
    const given = disk.folder(contents({ film: hevc() }));
    for (const [episode, order] of [
      [0, [0, 2, 1]],
      [1, [3]],
    ] as const) {
      const recording = await disk.open(given, { topic: `episode ${episode}` });
      for (const i of order) near((await recording.read(i)).depth.data, depthMm(episode, i));
      expect(recording.facts.find(({ what }) => what === "unit")).toMatchObject({
        value: "1 mm",
        from: "file meta/info.json",
      });
    }
  });

  test("is the same where frames are asked for side by side", async () => {
    const recording = await disk.open(disk.folder(contents({ film: hevc() })), { topic: "episode 0" });
    const frames = await Promise.all([2, 0, 1].map((i) => recording.read(i)));
    for (const { index, depth } of frames) near(depth.data as Uint16Array, depthMm(0, index));
  });

  test("of 16 bits without a code is in the unit that is said, without loss", async () => {
    const place = { info: { video_path: "raw.mkv" }, said: { depth_unit: undefined, depth_scale: 0.0001 } };
    const given = { ...contents({ film: hevc(), ...place }), "raw.mkv": film("raw.mkv", "gray16le", "ffv1") };
    const { frames } = await opened(given, { topic: KEY });
    expect(frames[2].depth.data).toEqual(depthMm(0, 2));
    expect(frames[2].metresPerUnit).toBe(0.0001);
  });

  test("of 8 bits, in an archive, cut short or no film at all is refused with the reason", async () => {
    for (const [path, told] of [
      [disk.folder(contents({ film: film("grey.mp4", "gray", "libx264") })), "8 bits for a pixel"],
      [disk.file("a.zip", zipOf(contents({ film: hevc() }))), "reads no archives; unpack the data set"],
      [disk.folder(contents({ film: new Uint8Array(2000) })), "ffmpeg cannot decode this film"],
      [disk.folder(contents({ lengths: [3, 40], film: hevc() })), "frame 4 cannot be decoded: the film ends earlier"],
    ] as const)
      expect(await failure(path, { worker: false, topic: "episode 1" }), told).toContain(told);
  });

  test("says how to get ffmpeg where there is none", async () => {
    vi.stubEnv("PATH", folder);
    try {
      const told = await failure(disk.folder(contents({ film: hevc() })), { worker: false });
      expect(told).toContain("ffmpeg, which decodes films of depth, is not installed");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
