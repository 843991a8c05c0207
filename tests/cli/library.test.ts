import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createPipeline, OptionError, type PipelineOptions } from "../../pipeline/index.ts";
import { framesOf, openRecording, syntheticRoom } from "../../sources/index.ts";
import { defaultStages, type Preset } from "../../stages/index.ts";
import { writeTum } from "../../write/index.ts";
import { depthHash, useFolder } from "../sources/fixtures.ts";
import { depthloom, replayed, root } from "./command.ts";

// What a program gets from createPipeline, defaultStages and a recording is what `depthloom replay` gives, to the last bit.

const FRAMES = 5;
/** Frames 0 to 2, 32 to 34 and 64 to 66 are measured; the latter two agree on a noise that is not that of the first. */
const NOISIER = 70;
const disk = useFolder();
const shared = join(root, "../shared/data");
const [noisy, becomesNoisy] = [join(disk.root, "noisy"), join(disk.root, "becomesNoisy")];

beforeAll(async () => {
  const size = { width: 160, height: 120, color: false } as const;
  await writeTum(syntheticRoom({ ...size, frames: FRAMES, sensor: "realsense" }), noisy);
  const [calm, loud] = (["kinect-v2", "kinect-v1"] as const).map((sensor) =>
    syntheticRoom({ ...size, frames: NOISIER, view: "overhead", sensor }),
  );
  if (!calm || !loud) throw new Error("no rooms");
  await writeTum({ ...calm, read: (index: number) => (index < 10 ? calm : loud).read(index) }, becomesNoisy);
});

interface Asked {
  readonly preset?: Preset;
  readonly noise?: PipelineOptions["noise"];
  readonly start?: number;
  readonly frames?: number;
}

/** The sums of a program's filtered depth. */
async function ofProgram(path: string, { preset, noise, start = 0, frames = FRAMES }: Asked): Promise<string[]> {
  await using recording = await openRecording(path);
  const filters = defaultStages({ preset }).filter(({ role }) => role === "filter");
  await using pipeline = await createPipeline({ stages: filters, backend: "cpu", noise });
  const sums: string[] = [];
  for await (const frame of pipeline.frames(framesOf(recording, { start, count: frames }), { policy: "lossless" })) {
    const { data } = await frame.readDepth();
    sums.push(depthHash(data));
  }
  return sums;
}

/** The same by the command line. The stages after the filters leave depth as it is; here they draw a small picture. */
async function ofReplay(path: string, { preset = "default", noise, start = 0, frames = FRAMES }: Asked) {
  const picked = ["--preset", preset, "--noise", noise === "none" ? "off" : "auto", "--view-size", "64x48"];
  const part = ["--start", `${start}`, "--frames", `${frames}`, "--backend", "cpu"];
  return (await replayed(path, ...picked, ...part)).outputs.map(({ depthSha256 }) => depthSha256);
}

const cases: readonly (readonly [what: string, path: string, asked: Asked])[] = [
  ["a stereo camera's noise", noisy, {}],
  ["a start in the middle", noisy, { start: 3, frames: 2 }],
  ["a preset", noisy, { preset: "realsense" }],
  ["no noise", noisy, { noise: "none" }],
  ["noise that grows", becomesNoisy, { frames: NOISIER }],
  ["a real RealSense D435", join(shared, "realsense_d435.bag"), { frames: 2 }],
  ["a real Kinect v2 from above", join(shared, "gotpd_kinect2_overhead"), { frames: 3 }],
];

for (const [what, path, asked] of cases) {
  test.skipIf(path.startsWith(shared) && !existsSync(path))(what, async () => {
    const expected = await ofReplay(path, asked);
    expect(expected).toHaveLength(asked.frames ?? FRAMES);
    expect(await ofProgram(path, asked)).toEqual(expected);
  });
}

test("a program's filtered depth is replay's: noise that is not followed, or measured once, gives other depth", async () => {
  const of = (noise: PipelineOptions["noise"], frames = NOISIER) => ofProgram(becomesNoisy, { frames, noise });
  const [followed, measured, none] = [await of("follow"), await of("measured"), await of("none", 1)];
  expect(measured.slice(0, 66)).toEqual(followed.slice(0, 66));
  expect(measured.slice(66)).not.toEqual(followed.slice(66));
  expect(none[0]).not.toBe(followed[0]);
});

test.each([
  ["png", {}, []],
  ["mcap", { start: 3, frames: 2, preset: "realsense" }, ["--start", "3", "--frames", "2", "--preset", "realsense"]],
] as const)("convert filters on the way to %s, and gives the same depth", async (kind, asked, flags) => {
  const out = join(disk.root, kind === "mcap" ? "filtered.mcap" : `filtered-${kind}`);
  const to = kind === "mcap" ? [] : ["--to", kind];
  const more = flags.length > 0 ? flags : ["--stages", "default"];
  const { status, stderr } = await depthloom("convert", noisy, out, ...to, ...more, "--backend", "cpu");
  expect([status, stderr]).toEqual([0, expect.stringMatching(/ of \d frames written/)]);
  await using written = await openRecording(out);
  const sums: string[] = [];
  for (let index = 0; index < written.length; index++) {
    const { data } = (await written.read(index)).depth;
    sums.push(depthHash(data));
  }
  expect(sums).toEqual(await ofProgram(noisy, asked));
});

test("defaultStages refuses what it does not know, and raw leaves out the filters", () => {
  expect(() => defaultStages({ preset: "kinect" as Preset })).toThrow(OptionError);
  expect(() => defaultStages({ preset: "kinect" as Preset })).toThrow("preset must be default or raw or strong");
  expect(() => defaultStages({ presets: "raw" } as object)).toThrow("there is no option presets");
  expect(defaultStages({ preset: "raw" }).map(({ name }) => name)).toEqual(["compact", "dofSplat"]);
});
