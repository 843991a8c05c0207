import { expect, test } from "vitest";
import { filtersOf } from "../../run/filter/filter.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import type { Mesh } from "../../scan/mesh/mesh.ts";
import { scanSource } from "../../scan/scan.ts";
import type { RecordedSource } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";

// A scan whose filters run on the GPU.

test("the model grows on the GPU or, where that has no room for it, on the CPU, to the same surface, and twice to the same bytes", async () => {
  const room = syntheticRoom({
    scene: "desk",
    width: 64,
    height: 48,
    frames: 3,
    cameraMotion: "handheld",
    noise: false,
  });
  const read = async (index: number) => ({ ...(await room.read(index)), pose: await room.pose(index) });
  const notes: string[] = [];
  const meshWith = async (mostMegabytes: number) => {
    const chosen = filtersOf(chooseStages(["track"], undefined));
    const request = {
      ...({
        recording: "desk",
        chosen,
        backend: "webgpu",
        adapter: "software",
        noise: "off",
        start: 0,
        frames: undefined,
      } as const),
      ...{ voxelM: 0.02, farM: undefined, mostMegabytes, crop: undefined, leastPiece: 50, triangles: undefined },
    };
    const stop = new AbortController().signal;
    const listener = { warn() {}, progress() {}, stop, note: (line: string) => notes.push(line) };
    const source: RecordedSource = { ...room, read };
    return (await scanSource(source, request, listener)).mesh;
  };
  const onGpu = await meshWith(16);
  expect(notes.filter((line) => line.includes("model"))).toEqual([]);
  expect(await meshWith(16)).toEqual(onGpu);
  const onCpu = await meshWith(3500);
  expect(notes.at(-1)).toMatch(/^the model grows on the CPU, since the GPU has no room for it \(scan bricks: bytes/);
  expect(onCpu.indices.length).toBeGreaterThan(1000);
  expect(Math.abs(onGpu.indices.length / onCpu.indices.length - 1)).toBeLessThan(0.01);
  const middle = ({ positions }: Mesh) =>
    [0, 1, 2].map(
      (axis) => positions.filter((_, i) => i % 3 === axis).reduce((a, b) => a + b) / (positions.length / 3),
    );
  for (const [axis, at] of middle(onGpu).entries()) expect(at).toBeCloseTo(middle(onCpu)[axis], 3);
});
