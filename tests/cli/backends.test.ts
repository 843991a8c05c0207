import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "fast-png";
import { beforeAll, describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { useGpu } from "../gpu.ts";
import { useFolder } from "../sources/fixtures.ts";
import { type Document, replayed } from "./command.ts";

// A recording, settings and a device always give the same bytes; another device gives nearly the same.

const disk = useFolder();
const gpu = useGpu();
const recording = join(disk.root, "room");

beforeAll(async () => {
  await writeTum(syntheticRoom({ width: 160, height: 120, frames: 5 }), recording);
});

const shas = ({ outputs }: Document) => outputs.map(({ depthSha256 }) => depthSha256);

test.each([
  ["median,compact", 0],
  ["median,bilateralGrid,compact", 1],
])(
  "replay of %s gives the same bytes in each run, and CPU and GPU differ by at most %i units",
  async (stages, tolerance) => {
    const folder = (name: string) => join(disk.root, `${name} ${stages}`);
    const { software } = gpu.gpu;
    const onGpu = ["--stages", stages, "--backend", "webgpu", "--adapter", software ? "software" : "hardware"];
    const onCpu = ["--stages", stages, "--backend", "cpu"];
    const cpu = await replayed(recording, ...onCpu, "--out", folder("cpu"));
    const first = await replayed(recording, ...onGpu, "--out", folder("gpu"));
    expect(first).toMatchObject({ backend: "webgpu", adapter: { software }, frames: 5, dropped: 0 });
    expect(shas(await replayed(recording, ...onGpu))).toEqual(shas(first));
    expect(shas(await replayed(recording, ...onCpu))).toEqual(shas(cpu));
    if (tolerance === 0) expect(shas(first)).toEqual(shas(cpu));
    const valid = ({ outputs }: Document) => outputs.map(({ validOut, points }) => [validOut, points]);
    expect(valid(first)).toEqual(valid(cpu));
    for (const name of readdirSync(join(folder("cpu"), "depth"))) {
      const [a = [], b = []] = ["cpu", "gpu"].map((side) =>
        Array.from(decode(readFileSync(join(folder(side), "depth", name))).data),
      );
      expect(a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0)).toBeLessThanOrEqual(tolerance);
    }
  },
);

describe("replay with a picture on the GPU", () => {
  const onGpu = () => ["--backend", "webgpu", "--adapter", gpu.gpu.software ? "software" : "hardware", "--frames", "1"];
  const small = ["--view-size", "64x48"];

  test("reports in `overflow` how many tiles' lists were full", async () => {
    const few = ["--stages", "compact,dofSplat", "--set", "dofSplat.fNumber=1", "--set", "dofSplat.listEntries=64"];
    expect((await replayed(recording, ...onGpu(), ...small, ...few)).overflow).toBeGreaterThan(0);
  });
});
