import { expect, onTestFinished, test } from "vitest";
import type { Rigid } from "../../core/pose.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import { type CubeMesh, Cubes } from "../../scan/mesh/cube.ts";
import { type GpuBricks, GpuMesh } from "../../scan/mesh/gpuMesh.ts";
import { GpuVolume } from "../../scan/volume/gpuVolume.ts";
import { VOXELS, WEIGHTS } from "../../scan/volume/layout.ts";
import type { Volume } from "../../scan/volume/volume.ts";
import { readWords, useGpu } from "../gpu.ts";
import { sampled } from "../mode.ts";
import { uniform } from "../random.ts";
import { AROUND, BALL, edgesOf, newVolume, seen } from "./world.ts";

// The mesh that the GPU makes of bricks is the twin's: the same vertices and triangles, in the same order.

const gpu = useGpu();

/** A volume's bricks in the GPU's memory, as shaders/scan/places.wgsl says. */
function uploaded(twin: Volume): GpuBricks & { destroy(): void } {
  const { device } = gpu;
  const { bricks, views } = twin;
  const { count, coordinates } = bricks;
  const LOG2_SLOTS = 14;
  const table = new Uint32Array(2 << LOG2_SLOTS);
  const keys = Uint32Array.from({ length: count }, (_, brick) => {
    const [x, y, z] = coordinates.subarray(3 * brick, 3 * brick + 3);
    return ((x + 1024) | ((y + 512) << 11) | ((z + 1024) << 21)) >>> 0;
  });
  for (const [brick, key] of keys.entries()) {
    let slot = Math.imul(key, 2654435769) >>> (32 - LOG2_SLOTS);
    while (table[2 * slot] > 0) slot = (slot + 1) % (1 << LOG2_SLOTS);
    table.set([key, brick + 1], 2 * slot);
  }
  const bufferOf = (label: string, words: Uint32Array<ArrayBuffer>) => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.INDIRECT;
    const buffer = device.createBuffer({ label, size: words.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  };
  const buffers = {
    table: bufferOf("table", table),
    counts: bufferOf("counts", Uint32Array.of(count, count, 0, 0, 0, 0, 0, 0, count, 1, 1, 0)),
    places: bufferOf("places", keys),
    pool: bufferOf("pool", Uint32Array.from(views.words.subarray(bricks.at(0) >> 2, bricks.at(count) >> 2))),
    list: bufferOf("list", Uint32Array.from(keys.keys())),
    sight: device.createBuffer({ label: "sight", size: 256, usage: GPUBufferUsage.UNIFORM }),
  };
  const destroy = () => Object.values(buffers).forEach((buffer) => void buffer.destroy());
  return { device, twin, buffers, constants: { LOG2_SLOTS, BRICK_WORDS: bricks.bytes / 4 }, destroy };
}

/** A mesh, with room for `bytes`, of a volume's bricks on the GPU; all is freed with the end of the test. */
async function meshIn(volume: Volume, bytes: number): Promise<GpuMesh> {
  const bricks = uploaded(volume);
  const mesh = await GpuMesh.create(bricks, bytes);
  onTestFinished(() => {
    mesh.destroy();
    bricks.destroy();
  });
  return mesh;
}

/** Bricks of random distances, weights and colours, with places between them that have none. */
function randomVolume(hasColour: boolean): Volume {
  const volume = newVolume({ hasColour });
  const random = uniform(7);
  for (let i = 0; i < 27; i++)
    if (random() < 0.7) volume.bricks.make((i % 3) - 6, (Math.floor(i / 3) % 3) + 3, Math.floor(i / 9) - 2);
  volume.bricks.reserve();
  const { bricks, views } = volume;
  for (let brick = 0; brick < bricks.count; brick++) {
    for (let voxel = 0; voxel < VOXELS; voxel++) {
      const at = (bricks.at(brick) >> 1) + voxel;
      // A fourth of all pairs is too steep; some voxels are unknown, and ties and zeros come up.
      views.distances[at] = random() < 0.1 ? Math.round(2 * random() - 1) : 65535 * random() - 32768;
      views.weights[at + (WEIGHTS >> 1)] = random() < 0.02 ? 16 * random() : 16 + 4000 * random();
      if (hasColour) views.words[(bricks.at(brick) >> 2) + VOXELS + voxel] = random() < 0.2 ? 0 : 2 ** 32 * random();
    }
  }
  return volume;
}

/** A ball seen from all around. */
function ballVolume(): Volume {
  const volume = newVolume({ voxelM: 0.02 });
  const frames = AROUND.map((pose) => seen(pose));
  for (let k = 0; k < 4; k++) for (const [i, pose] of AROUND.entries()) volume.add(frames[i], pose);
  return volume;
}

/** Submits commands, and reads the mesh of each brick of a volume, of `count` bricks. */
async function made(mesh: GpuMesh, count: number, encode: (pass: GPUComputePassEncoder) => void): Promise<CubeMesh[]> {
  submit(gpu.device, encode, "test");
  const [slots, words] = [
    await readWords(gpu.device, mesh.buffers.slots),
    await readWords(gpu.device, mesh.buffers.mesh),
  ];
  return Array.from({ length: count }, (_, brick) => {
    const [vertex, corner, , counted] = slots.subarray(4 * brick, 4 * brick + 4);
    const vertices = counted & 0xffff;
    const rows = Array.from({ length: vertices }, (_, i) => words.slice(5 * (vertex + i), 5 * (vertex + i) + 5));
    const indices = words.slice(corner, corner + 3 * (counted >>> 16)).map((number) => number - vertex);
    const bytesOf = (word: number) => rows.flatMap((row) => [...new Uint8Array(row.buffer, 4 * word, 4)]);
    return {
      positions: Float32Array.from(rows.flatMap((row) => [...new Float32Array(row.buffer, 0, 3)])),
      normals: Int8Array.from(bytesOf(3)),
      colours: Uint8Array.from(bytesOf(4)),
      indices,
    };
  });
}

/** What the twin makes of each brick. */
function partsOf(volume: Volume): CubeMesh[] {
  const twin = new Cubes(volume);
  return Array.from({ length: volume.bricks.count }, (_, brick) => twin.of([[brick]])).flat();
}

/** The triangles that are drawn, those without an area left out, as the places of their corners. */
async function drawnOf(mesh: GpuMesh): Promise<string[]> {
  const [words, drawn] = [
    await readWords(gpu.device, mesh.buffers.mesh),
    await readWords(gpu.device, mesh.buffers.drawn),
  ];
  const [count, instances, first] = drawn;
  expect(instances).toBe(1);
  const triangles: string[] = [];
  for (let i = first; i < first + count; i += 3) {
    const corners = words.subarray(i, i + 3);
    if (new Set(corners).size === 3)
      triangles.push([...corners].map((corner) => words.subarray(5 * corner, 5 * corner + 3).join(" ")).join("\n"));
  }
  return triangles;
}

const trianglesOf = (parts: readonly CubeMesh[]) => parts.reduce((sum, { indices }) => sum + indices.length / 3, 0);

const mostOff = (got: ArrayLike<number>, expected: ArrayLike<number>) =>
  Array.from(expected).reduce((most, value, i) => Math.max(most, Math.abs(value - got[i])), 0);

function expectPart(got: CubeMesh | undefined, expected: CubeMesh, voxelM: number): void {
  expect(got?.indices).toEqual(expected.indices);
  expect(got?.positions).toHaveLength(expected.positions.length);
  expect(mostOff(got?.positions ?? [], expected.positions)).toBeLessThan(1e-4 * voxelM);
  expect(mostOff(got?.normals ?? [], expected.normals)).toBeLessThanOrEqual(1);
  expect(mostOff(got?.colours ?? [], expected.colours)).toBeLessThanOrEqual(1);
}

test.each(sampled([true, false]))(
  "of random bricks is the twin's, and the same twice (colours: %s)",
  async (hasColour) => {
    const volume = randomVolume(hasColour);
    const mesh = await meshIn(volume, 2 ** 23);
    const parts = await made(mesh, volume.bricks.count, (pass) => mesh.encodeAll(pass, volume.bricks.count));
    const expected = partsOf(volume);
    expect(trianglesOf(expected)).toBeGreaterThan(3000);
    for (const [i, part] of expected.entries()) expectPart(parts[i], part, volume.options.voxelM);
    // The same frame's list, and a sweep over all of these few bricks, find everything in its place.
    expect(await made(mesh, volume.bricks.count, (pass) => mesh.encode(pass))).toEqual(parts);
    const { triangles, isFull } = await mesh.counted();
    expect([triangles, isFull]).toEqual([trianglesOf(expected), false]);
  },
);

test("of a ball has no crack between bricks, and a box around it", async () => {
  const volume = ballVolume();
  const mesh = await meshIn(volume, 2 ** 23);
  submit(gpu.device, (pass) => mesh.encodeAll(pass, volume.bricks.count), "test");
  // What a brick and its neighbour make of a cell between them has the same bits. What lies behind the ball has borders.
  const isBall = (place: string) => {
    const metres = new Float32Array(Uint32Array.from(place.split(" "), Number).buffer);
    return Math.hypot(...metres.map((x, axis) => x - BALL.centre[axis])) < BALL.radius + 0.15;
  };
  const numbers = new Map<string, number>();
  const indices = (await drawnOf(mesh))
    .map((triangle) => triangle.split("\n"))
    .filter((places) => places.every(isBall))
    .flat()
    .map((place) => {
      if (!numbers.has(place)) numbers.set(place, numbers.size);
      return numbers.get(place) ?? 0;
    });
  const edges = [...edgesOf({ indices: Uint32Array.from(indices) }).values()];
  expect(edges.length).toBeGreaterThan(1000);
  expect(edges.filter((count) => count % 2 > 0)).toEqual([]);
  const { box = [] } = await mesh.counted();
  for (let axis = 0; axis < 3; axis++) {
    expect(box[axis]).toBeLessThan(BALL.centre[axis] - BALL.radius);
    expect(box[axis + 3]).toBeGreaterThan(BALL.centre[axis] + BALL.radius);
  }
});

test("of bricks that have no room is not drawn, which it says", async () => {
  const volume = randomVolume(true);
  const expected = partsOf(volume);
  const mesh = await meshIn(volume, 2 ** 17);
  const parts = await made(mesh, volume.bricks.count, (pass) => mesh.encodeAll(pass, volume.bricks.count));
  const whole = parts.filter(({ indices }) => indices.length > 0);
  expect(whole.length).toBeGreaterThan(0);
  expect(whole.length).toBeLessThan(expected.filter(({ indices }) => indices.length > 0).length);
  for (const [i, part] of parts.entries())
    if (part.indices.length > 0) expectPart(part, expected[i], volume.options.voxelM);
  const { triangles, isFull } = await mesh.counted();
  expect([triangles, isFull]).toEqual([trianglesOf(parts), true]);
  expect(await drawnOf(mesh)).toHaveLength(triangles);
  // Bricks without room take none, however often they ask.
  const taken = await readWords(gpu.device, mesh.buffers.drawn);
  expect(await made(mesh, volume.bricks.count, (pass) => mesh.encodeAll(pass, volume.bricks.count))).toEqual(parts);
  expect(await readWords(gpu.device, mesh.buffers.drawn)).toEqual(taken);
});

test("follows the frames of a volume: what grows moves, what is carved away is drawn no longer", async () => {
  const { device } = gpu;
  const volume = await GpuVolume.open(device, { ...newVolume({ voxelM: 0.02 }, true).options, mostBytes: 2 ** 23 });
  const mesh = await GpuMesh.create(volume, 2 ** 22);
  const [pose, , other] = AROUND;
  const add = async (at: Rigid, hasBall: boolean) => {
    volume.send(seen(at, hasBall), at);
    const work = (pass: GPUComputePassEncoder) => {
      volume.encode(pass);
      mesh.encode(pass);
    };
    submit(device, work, "test");
    return (await mesh.counted()).triangles;
  };
  const first = await add(pose, true);
  expect(first).toBeGreaterThan(1000);
  expect(await add(other, true)).toBeGreaterThan(first);
  for (let i = 0; i < 4; i++) await add(pose, false);
  const drawn = (await drawnOf(mesh)).sort();
  expect(drawn).toHaveLength((await mesh.counted()).triangles);
  const twin = await volume.read();
  expect(drawn).toHaveLength(trianglesOf(partsOf(twin)));
  submit(device, (pass) => mesh.encodeAll(pass, twin.bricks.count), "test");
  expect((await drawnOf(mesh)).sort()).toEqual(drawn);
  mesh.destroy();
  volume.destroy();
});
