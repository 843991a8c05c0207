import { afterEach, describe, expect, test } from "vitest";
import { differencesOf } from "../../bench/fusion/differences.ts";
import { meshOf } from "../../scan/mesh/mesh.ts";
import { GpuVolume } from "../../scan/volume/gpuVolume.ts";
import { KNOWN, type Volume } from "../../scan/volume/volume.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { useGpu } from "../gpu.ts";
import { BALL, lookingAtBall, newVolume, seen } from "./world.ts";

// The kernels of shaders/scan/ against their twin: the same bricks, distances, weights and colours, but for roundings.

const on = useGpu();
const opened: GpuVolume[] = [];
afterEach(() => {
  for (const volume of opened.splice(0)) volume.destroy();
});

/** The same volume on the GPU and as TypeScript. */
async function both(more: Parameters<typeof newVolume>[0] = {}): Promise<[GpuVolume, Volume]> {
  const plain = newVolume({ mostBytes: 2 ** 24, ...more }, true);
  const gpu = await GpuVolume.open(on.device, plain.options);
  opened.push(gpu);
  return [gpu, plain];
}

const bytesOf = ({ bricks }: Volume) => Buffer.from(bricks.memory.buffer, bricks.start, bricks.count * bricks.bytes);

/** How many vertices of the surface lie at the ball. */
const atBall = (volume: Volume) => {
  const { positions } = meshOf(volume, KNOWN);
  const away = (i: number) => Math.hypot(...BALL.centre.map((at, axis) => positions[3 * i + axis] - at));
  return Array.from({ length: positions.length / 3 }, (_, i) => away(i)).filter((m) => m < 1.5 * BALL.radius).length;
};

describe("of a room that a Kinect saw, a volume on the GPU", () => {
  const room = syntheticRoom({ cameraMotion: "handheld", sensor: "kinect-v1", width: 64, height: 48 });
  const views = Promise.all(
    [0, 90, 180, 270].map(async (index) => {
      const [frame, pose] = [await room.read(index), await room.pose(index)];
      return [frame, Float64Array.from(pose.slice(0, 12))] as const;
    }),
  );

  test.each([true, false])("has the twin's bricks and voxels, with colours: %s", async (hasColour) => {
    // As a recording's noise is told, which is more than the kernels need.
    const sigma = { a: 1.5, b: 3, nearM: 1, farM: 4 };
    const [gpu, plain] = await both({ voxelM: 0.04, hasColour, sigma });
    for (const [i, [frame, pose]] of (await views).entries()) {
      const { color } = frame;
      // The colour camera does not see every pixel.
      if (color && i > 1) for (let at = 0; at < color.data.length; at += 4 * 5) color.data.fill(0, at, at + 4);
      gpu.add(frame, pose, i + 1);
      plain.add(frame, pose, i + 1);
    }
    const { voxels, ...shares } = differencesOf(await gpu.read(), plain);
    expect(voxels).toBeGreaterThan(50_000);
    // A division that is a bit off may round to another pixel or brick.
    for (const share of Object.values(shares)) expect(share).toBeLessThan(0.001);
  });

  test("that takes up what another one held goes on to the same bytes", async () => {
    const options = { voxelM: 0.03, hasColour: true };
    const [[gpu], [other]] = [await both(options), await both(options)];
    for (const [i, [frame, pose]] of (await views).entries()) {
      if (i === 2) {
        const { held, bytes } = await gpu.read();
        other.twin.take(held);
        other.twin.bytes.set(bytes);
        other.restore();
      }
      gpu.add(frame, pose);
      if (i >= 2) other.add(frame, pose);
    }
    const [whole, resumed] = [await gpu.read(), await other.read()];
    expect(whole.bricks.count).toBeGreaterThan(100);
    expect([resumed.frames, bytesOf(resumed).equals(bytesOf(whole))]).toEqual([4, true]);
  });

  test("is the same bytes each time, also where it gets full, which it does at the twin's frame", async () => {
    const options = { voxelM: 0.03, mostBytes: 1_150_000, hasColour: false };
    const [gpu, plain] = await both(options);
    const [again] = await both(options);
    const full: boolean[] = [];
    let before = 0;
    for (const [frame, pose] of await views) {
      for (const volume of [gpu, again, plain]) volume.add(frame, pose);
      const { count, listed, isFull } = await gpu.counted();

      expect(isFull).toBe(plain.isFull);
      expect(listed).toBeGreaterThan(0);
      if (isFull && full.at(-1) === false) expect(count).toBe(before);
      full.push(isFull);
      before = count;
    }
    expect([full[0], full.at(-1)]).toEqual([false, true]);
    const read = await gpu.read();
    expect(read.isFull).toBe(true);
    expect(read.bricks.count).toBeGreaterThan(100);
    expect(read.bricks.count).toBeLessThanOrEqual(plain.bricks.most);
    expect(bytesOf(read).equals(bytesOf(await again.read()))).toBe(true);
  });
});

test("what has moved away is carved on the GPU as on the CPU", async () => {
  const [gpu, plain] = await both({ voxelM: 0.03 });
  const pose = lookingAtBall([0, 0, 0]);
  const left: number[] = [];
  for (const hasBall of [true, false]) {
    const frame = seen(pose, hasBall);
    for (let i = 0; i < (hasBall ? 2 : 16); i++) {
      gpu.add(frame, pose, hasBall ? 1 : 16);
      plain.add(frame, pose, hasBall ? 1 : 16);
    }
    const { voxels, ...shares } = differencesOf(await gpu.read(), plain);
    expect(voxels).toBeGreaterThan(20_000);
    for (const share of Object.values(shares)) expect(share).toBeLessThan(0.001);
    left.push(atBall(await gpu.read()));
  }
  expect(left[0]).toBeGreaterThan(100);
  expect(left[1]).toBe(0);
});

test("frames without depth make no bricks, and frames too far away or too large make no wrong ones and stop no later ones", async () => {
  const [gpu] = await both();
  const pose = lookingAtBall([0, 0, 0]);
  const frame = seen(pose);
  const depth = { ...frame.depth, data: new Uint16Array(frame.depth.data.length) } as typeof frame.depth;
  gpu.add({ ...frame, depth }, pose);
  expect(await gpu.counted()).toEqual({ count: 0, listed: 0, isFull: false });
  expect(meshOf(await gpu.read(), KNOWN).indices.length).toBe(0);
  for (const away of [100, -1e12]) {
    gpu.add(frame, Float64Array.of(1, 0, 0, away, 0, 1, 0, 0, 0, 0, 1, 0));
    expect(await gpu.counted()).toEqual({ count: 0, listed: 0, isFull: true });
  }
  gpu.add(frame, pose);
  expect((await gpu.counted()).count).toBeGreaterThan(100);
  const [small] = await both({ pixels: 100 });
  expect(() => small.add(frame, pose)).toThrow(
    "the volume is made for frames of 100 pixels, and this one has 160 × 120",
  );
});

test("a volume for which the GPU has no room is refused", async () => {
  // Whatever this GPU allows, its like that allows less is asked.
  const allowed = 2 ** 20;
  const limits = new Proxy(on.device.limits, {
    get: (all, name: keyof GPUSupportedLimits) => (/Buffer(Binding)?Size$/.test(name) ? allowed : all[name]),
  });
  const device = new Proxy(on.device, {
    get(real, name: keyof GPUDevice) {
      const value = name === "limits" ? limits : real[name];
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
  await expect(GpuVolume.open(device, newVolume({ mostBytes: 2 ** 24 }, true).options)).rejects.toThrow(
    /^scan bricks: bytes of a .*buffer: \d+, and this GPU allows/,
  );
});
