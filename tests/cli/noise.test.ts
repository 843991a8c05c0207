import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../sources/write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { type Document, depthloom, replayed } from "./command.ts";

// Settings that come from the recording's own noise.

const disk = useFolder();
const recording = join(disk.root, "room");

beforeAll(async () => {
  await writeTum(syntheticRoom({ width: 160, height: 120, frames: 5 }), recording);
});

const shas = ({ outputs }: Document) => outputs.map(({ depthSha256 }) => depthSha256);

describe("replay --noise auto", () => {
  const chain = ["--stages", "median,temporal", "--backend", "cpu", "--noise", "auto"];
  const parametersIn = (out: string) =>
    JSON.parse(readFileSync(join(out, "settings.json"), "utf8")).stages[1].parameters;

  test("sets the sigmas that nobody has set by the first frames, says so, and gives the same each time", async () => {
    const outs = ["noise-a", "noise-b"].map((name) => join(disk.root, name));
    const runs = await Promise.all(outs.map((out) => depthloom("replay", recording, ...chain, "--out", out, "--json")));
    const [first, second] = runs.map(({ stdout }) => shas(JSON.parse(stdout)));
    expect(first).toEqual(second);
    const { sigmaDepthMm, sigmaDepthPerM2Mm } = parametersIn(outs[0] ?? "");
    expect(runs[0]?.stderr).toContain(
      `set temporal.sigmaDepthMm=${sigmaDepthMm}, temporal.sigmaDepthPerM2Mm=${sigmaDepthPerM2Mm}`,
    );
    expect(runs[0]?.stderr).toMatch(/--noise auto: noise [\d.]+ mm at [\d.]+ m, /);
    // What it wrote into the folder does the same without it.
    const settings = join(outs[0] ?? "", "settings.json");
    const again = await replayed(recording, "--backend", "cpu", "--settings", settings);
    expect(shas(again)).toEqual(first);
  });

  test("leaves alone what somebody has set", async () => {
    const out = join(disk.root, "noise-c");
    const { stderr } = await depthloom("replay", recording, ...chain, "--set", "temporal.sigmaDepthMm=7", "--out", out);
    expect(parametersIn(out).sigmaDepthMm).toBe(7);
    expect(stderr).toMatch(/; set temporal\.sigmaDepthPerM2Mm=[\d.]+$/m);
  });
});
