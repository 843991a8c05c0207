import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { type Document, depthloom, replayed } from "./command.ts";

// Parameters that the user has not set follow the recording's own noise.

const disk = useFolder();
const [recording, quiet] = [join(disk.root, "stereo"), join(disk.root, "quiet")];

beforeAll(async () => {
  await writeTum(syntheticRoom({ width: 160, height: 120, frames: 5, sensor: "realsense" }), recording);
  await writeTum(syntheticRoom({ width: 160, height: 120, frames: 5, sensor: "kinect-v2" }), quiet);
});

const shas = ({ outputs }: Document) => outputs.map(({ depthSha256 }) => depthSha256);

const chain = ["--stages", "median,temporal", "--backend", "cpu"];
const parametersIn = (out: string) => JSON.parse(readFileSync(join(out, "settings.json"), "utf8")).stages[1].parameters;

test("replay sets and prints parameters by the first frames' noise, the same each time and with any --start", async () => {
  const outs = ["noise-a", "noise-b"].map((name) => join(disk.root, name));
  const runs = await Promise.all(outs.map((out) => depthloom("replay", recording, ...chain, "--out", out, "--json")));
  const [first, second] = runs.map(({ stdout }) => shas(JSON.parse(stdout)));
  expect(first).toEqual(second);
  const { sigmaDepthMm, sigmaDepthPerM2Mm } = parametersIn(outs[0] ?? "");
  expect(sigmaDepthMm).toBeGreaterThanOrEqual(1);
  expect(sigmaDepthPerM2Mm).toBeGreaterThan(1.5);
  expect(runs[0]?.stderr).toMatch(/ m: set temporal\.tauSigmas=1\.\d+, /);
  expect(runs[0]?.stderr).toContain(
    `, temporal.sigmaDepthPerM2Mm=${sigmaDepthPerM2Mm} (--noise off keeps the defaults)`,
  );
  const later = join(disk.root, "noise-later");
  await depthloom("replay", recording, ...chain, "--start", "2", "--out", later);
  expect(parametersIn(later)).toEqual(parametersIn(outs[0] ?? ""));
  // The settings.json in the folder gives the same depth.
  const settings = join(outs[0] ?? "", "settings.json");
  const again = await replayed(recording, "--backend", "cpu", "--noise", "off", "--settings", settings);
  expect(shas(again)).toEqual(first);
});

describe("replay of a sensor that becomes noisier", () => {
  const changing = join(disk.root, "changing");
  const [BEFORE, FRAMES] = [64, 120];

  beforeAll(async () => {
    const options = { width: 160, height: 120, frames: FRAMES, color: false, view: "overhead" } as const;
    const [calm, loud] = (["kinect-v2", "kinect-v1"] as const).map((sensor) => syntheticRoom({ ...options, sensor }));
    if (!calm || !loud) throw new Error("no rooms");
    await writeTum({ ...calm, read: (index: number) => (index < BEFORE ? calm : loud).read(index) }, changing);
  });

  test("follows the noise once two measurements agree, the same in each run, and not with --noise off", async () => {
    const run = (...more: string[]) =>
      depthloom("replay", changing, "--stages", "bilateralGrid,temporal", "--backend", "cpu", "--json", ...more);
    const first = await run();
    // Frames 64 to 66 are measured, and 96 to 98: the work on them ends with frame 99.
    expect(first.stderr).toMatch(/from frame 99 on noise .* m: the filters follow \(--noise off keeps the defaults\)/);
    const all = shas(JSON.parse(first.stdout));
    expect(shas(JSON.parse((await run()).stdout))).toEqual(all);
    const off = await run("--noise", "off");
    expect(off.stderr).toBe("");
    expect(shas(JSON.parse(off.stdout))).not.toEqual(all);
  });
});
