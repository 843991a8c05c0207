import { describe, expect, test } from "vitest";
import { OptionError } from "../../../core/check.ts";
import { type DepthFrame, SourceError } from "../../../sources/index.ts";
import { type SyntheticOptions, type SyntheticRecording, syntheticRoom } from "../../../sources/synthetic/index.ts";

const SIZE = { width: 160, height: 120 };
const small = (options: SyntheticOptions = {}) => syntheticRoom({ ...SIZE, ...options });

/** The place in the room that pixel (x, y) of frame `index` shows, from its true depth and the camera's pose. */
async function placeOf(room: SyntheticRecording, index: number, x: number, y: number): Promise<number[]> {
  const { fx, fy, cx, cy } = (await room.read(index)).intrinsics;
  const z = room.groundTruth(index).metres.get(y, x);
  const m = await room.pose(index);
  const [px, py] = [((x - cx) / fx) * z, ((y - cy) / fy) * z];
  return [0, 1, 2].map((r) => m[4 * r] * px + m[4 * r + 1] * py + m[4 * r + 2] * z + m[4 * r + 3]);
}

/** The pixel of frame `index` that shows a place of the room. */
async function pixelOf(room: SyntheticRecording, index: number, place: readonly number[]): Promise<[number, number]> {
  const { fx, fy, cx, cy } = (await room.read(index)).intrinsics;
  const m = await room.pose(index);
  const d = place.map((p, r) => p - m[4 * r + 3]);
  const [x, y, z] = [0, 1, 2].map((c) => d[0] * m[c] + d[1] * m[4 + c] + d[2] * m[8 + c]);
  return [Math.round(cx + (fx * x) / z), Math.round(cy + (fy * y) / z)];
}

/** The distance of a ray's first meeting with a sphere, along the optical axis, worked out by hand. */
async function depthOfSphere(room: SyntheticRecording, index: number, centre: number[], radius: number) {
  const [u, v] = await pixelOf(room, index, centre);
  const { fx, fy, cx, cy } = (await room.read(index)).intrinsics;
  const m = await room.pose(index);
  const d = centre.map((p, r) => p - m[4 * r + 3]);
  const inCamera = [0, 1, 2].map((c) => d[0] * m[c] + d[1] * m[4 + c] + d[2] * m[8 + c]);
  const ray = [(u - cx) / fx, (v - cy) / fy, 1];
  const a = ray.reduce((sum, r) => sum + r * r, 0);
  const b = ray.reduce((sum, r, i) => sum + r * inCamera[i], 0);
  const c = inCamera.reduce((sum, r) => sum + r * r, 0) - radius * radius;
  return { measured: room.groundTruth(index).metres.get(v, u), expected: (b - Math.sqrt(b * b - a * c)) / a };
}

for (const cameraMotion of ["fixed", "sway"] as const) {
  const room = small({ cameraMotion });

  test.each([0, 37, 150])(`has walls and floor at their places (${cameraMotion} camera, frame %i)`, async (index) => {
    const at = async (place: number[]) => placeOf(room, index, ...(await pixelOf(room, index, place)));
    expect((await at([-1.4, -1.3, 5]))[2]).toBeCloseTo(5, 4);
    expect((await at([2, -1.6, 4]))[0]).toBeCloseTo(2, 4);
    expect((await at([-2, -1.2, 3.8]))[0]).toBeCloseTo(-2, 4);
    expect((await at([-1.3, 0, 3.9]))[1]).toBeCloseTo(0, 4);
  });
}

test("the room's ground truth has the ball roll 1.3 m to and fro in five seconds", async () => {
  const room = small({ fps: 20 });
  // To and fro between x = -0.75 m and 0.55 m, in quarters of five seconds.
  for (const [quarter, x] of [-0.75, -0.1, 0.55, -0.1, -0.75, -0.1, 0.55].entries()) {
    const { measured, expected } = await depthOfSphere(room, 25 * quarter, [x, -0.15, 2.35], 0.15);
    expect(measured, `quarter ${quarter}`).toBeCloseTo(expected, 5);
  }
});

const bytes = ({ depth, color }: DepthFrame) =>
  [depth.data, color?.data].map((data) => (data ? Buffer.from(data.buffer) : Buffer.alloc(0)));
const alike = (a: DepthFrame, b: DepthFrame) => bytes(a).map((image, i) => image.equals(bytes(b)[i]));
const same = (a: DepthFrame, b: DepthFrame) => expect(alike(a, b)).toEqual([true, true]);

test.each(["fixed", "sway"] as const)(
  "a frame of the room is the same in any order of reading and from any instance (%s camera)",
  async (cameraMotion) => {
    const [one, other] = [small({ cameraMotion }), small({ cameraMotion })];
    const forward = [await one.read(0), await one.read(7), await one.read(8)];
    const backward = [await other.read(8), await other.read(7), await other.read(0)].reverse();
    for (const [i, frame] of forward.entries()) same(frame, backward[i]);
    same(await one.read(7), forward[1]);
    expect(alike(forward[1], forward[2])).toEqual([false, false]);
  },
);

describe("syntheticRoom", () => {
  test("gives frames with shape, index, timestamp, unit and intrinsics", async () => {
    const room = syntheticRoom({ width: 64, height: 48, fps: 25, frames: 3 });
    expect(room).toMatchObject({ format: "synthetic", fps: 25, length: 3, warnings: [] });
    const frame = await room.read(2);
    expect(frame.depth.shape).toEqual([48, 64]);
    expect(frame.color?.shape).toEqual([48, 64, 4]);
    expect(frame).toMatchObject({ index: 2, timestamp: 80, metresPerUnit: 0.001 });
    expect(room.timestampOf(2)).toBe(80);
    expect(frame.intrinsics).toEqual({ fx: 52.5, fy: 52.5, cx: 31.5, cy: 23.5, width: 64, height: 48 });
  });

  test("gives colour that is lit and varied, and registered to depth", async () => {
    const room = syntheticRoom({ width: 320, height: 240 });
    const { color } = await room.read(0);
    if (!color) throw new Error("no colour");
    const shades = new Set<number>();
    let sum = 0;
    for (let i = 0; i < color.size; i += 4) {
      shades.add((color.data[i] << 16) | (color.data[i + 1] << 8) | color.data[i + 2]);
      sum += color.data[i] + color.data[i + 1] + color.data[i + 2];
    }
    expect(color.data.every((value, i) => i % 4 < 3 || value === 255)).toBe(true);
    expect(shades.size).toBeGreaterThan(5000);
    const brightness = (sum / color.size) * (4 / 3);
    expect(brightness).toBeGreaterThan(90);
    expect(brightness).toBeLessThan(190);
    const [x, y] = await pixelOf(room, 0, [0.2, -1.3, 2.75]);
    const [r, g, b] = [0, 1, 2].map((c) => color.get(y, x, c));
    expect(r, "the bob is of brass").toBeGreaterThan(2 * b);
    expect(g).toBeGreaterThan(1.5 * b);
    expect((await small({ color: false }).read(0)).color).toBeUndefined();
  });

  test.each([
    [1, 1],
    [2, 1],
    [1, 3],
    [7, 5],
    [641, 3],
    [33, 97],
  ])("gives frames of %i × %i", async (width, height) => {
    for (const cameraMotion of ["fixed", "sway"] as const) {
      const room = syntheticRoom({ width, height, cameraMotion });
      const { depth, color } = await room.read(5);
      expect(depth.shape).toEqual([height, width]);
      expect(color?.size).toBe(4 * width * height);
      const { metres } = room.groundTruth(5);
      expect(metres.data.every((z) => z > 0.4 && z < 7)).toBe(true);
    }
  });
});

describe("syntheticRoom refuses", () => {
  const bad: [SyntheticOptions, RegExp][] = [
    [{ width: 0 }, /width must be a whole number from 1 to 8192, not 0/],
    [{ height: 10.5 }, /height must be .*, not 10.5/],
    [{ width: Number.NaN }, /width must be .*, not NaN/],
    [{ fps: 0 }, /fps must be a number above 0/],
    [{ frames: 0 }, /frames must be/],
    [{ frames: 1.5 }, /frames must be/],
    [{ seed: 0.5 }, /seed must be/],
    [{ metresPerUnit: 0 }, /metresPerUnit must be/],
    [{ intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 3, height: 3 }, width: 4 }, /intrinsics are for 3 × 3 pixels/],
  ];
  test.each(bad)("the options %o by name", (options, message) => {
    expect(() => syntheticRoom(options)).toThrow(OptionError);
    expect(() => syntheticRoom(options)).toThrow(message);
  });

  test.each([-1, 300, 0.5, Number.NaN])("to read frame %d", async (index) => {
    const room = small();
    await expect(room.read(index)).rejects.toThrow(/no frame .*; it has frames 0 to 299/);
    await expect(room.pose(index)).rejects.toThrow(SourceError);
    expect(() => room.groundTruth(index)).toThrow(SourceError);
  });
});
