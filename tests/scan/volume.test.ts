import { expect, test, vi } from "vitest";
import { image } from "../../core/array.ts";
import { rigid } from "../../core/pose.ts";
import { type Chunk, Chunks } from "../../scan/mesh/chunks.ts";
import { Cubes } from "../../scan/mesh/cube.ts";
import { meshOf } from "../../scan/mesh/mesh.ts";
import { DEEPEST, DISTANCE_UNITS, VOXELS, WEIGHTS } from "../../scan/volume/layout.ts";
import { type Fusable, KNOWN, type Volume } from "../../scan/volume/volume.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { AROUND, BALL, ballOf, edgesOf, HOLLOW, LENS, lookingAtBall, newVolume, seen } from "./world.ts";

// A volume of signed distances: its surface lies where the depth was measured, without cracks, in WebAssembly as in TypeScript.

test.each([0.02, 0.011])(
  "the surface of a ball that was seen from all sides with voxels of %f m is closed, and where the ball is",
  (voxelM) => {
    const { positions, normals, colours, indices } = ballOf(voxelM);
    // Two triangles meet at an edge, or four where the surface touches itself; one alone would be a crack.
    expect([...edgesOf({ indices }).values()].filter((faces) => faces % 2 > 0)).toEqual([]);
    const vertices = positions.length / 3;
    const [off, outward]: number[][] = [[], []];
    for (let i = 0; i < vertices; i++) {
      const out = [0, 1, 2].map((axis) => positions[3 * i + axis] - BALL.centre[axis]);
      off.push(Math.abs(Math.hypot(...out) - BALL.radius));
      const along = out.reduce((sum, x, axis) => sum + x * normals[3 * i + axis], 0) / BALL.radius;
      outward.push(along);
    }
    off.sort((a, b) => a - b);
    outward.sort((a, b) => a - b);
    expect(outward[0]).toBeGreaterThan(0);
    expect(outward[Math.floor(outward.length / 20)]).toBeGreaterThan(0.95);
    // A pixel of these small frames is 6 mm wide there.
    expect(off[off.length >> 1]).toBeLessThan(0.1 * voxelM);
    expect(off.at(-1)).toBeLessThan(0.36 * voxelM);
    for (let i = 0; i < indices.length; i += 300) {
      const [a, b, c] = [0, 1, 2].map((k) => positions.subarray(3 * indices[i + k], 3 * indices[i + k] + 3));
      const [u, v] = [b, c].map((corner) => [0, 1, 2].map((k) => corner[k] - a[k]));
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      expect(normal.reduce((sum, x, k) => sum + x * (a[k] - BALL.centre[k]), 0)).toBeGreaterThan(0);
    }
    expect(colours.filter((_, i) => i % 3 === 0).every((red) => Math.abs(red - 200) < 2)).toBe(true);
  },
);

test.each([true, false])(
  "pixels that the colour camera does not see leave colours as they are (plain: %s)",
  (isPlain) => {
    const volume = newVolume({ voxelM: 0.02 }, isPlain);
    const pose = lookingAtBall([0, 0, 0]);
    for (let i = 0; i < 12; i++) {
      const frame = seen(pose, true, (pixel) => i < 2 || pixel % 3 === 0);
      volume.add(frame, pose, 4);
    }
    const { colours } = meshOf(volume, 1);
    const reds = colours.filter((_, i) => i % 3 === 0);
    const others = reds.filter((red) => Math.abs(red - 200) > 2 && Math.abs(red - 20) > 2);
    expect(others.length).toBeLessThan(0.05 * reds.length);
    expect(colours.filter((value) => value < 18)).toEqual(new Uint8Array());
  },
);

test("what has moved away is carved, and what stands stays", () => {
  const volume = newVolume();
  const pose = lookingAtBall([0, 0, 0]);
  const awayOf = () => {
    const { positions } = meshOf(volume, 1);
    const at = (i: number) => Math.hypot(...[0, 1, 2].map((axis) => positions[3 * i + axis] - BALL.centre[axis]));
    return Array.from({ length: positions.length / 3 }, (_, i) => at(i));
  };
  for (let i = 0; i < 10; i++) volume.add(seen(pose), pose);
  expect(awayOf().some((away) => away < 0.3)).toBe(true);
  for (let i = 0; i < 160; i++) volume.add(seen(pose, false), pose);
  const left = awayOf();
  expect(left.length).toBeGreaterThan(1000);
  expect(Math.max(...left.map((away) => Math.abs(away - HOLLOW)))).toBeLessThan(0.005);
});

/** The live mesh, by cubes. */
async function partsOf(volume: Volume) {
  const chunks = new Chunks(volume, new Cubes(volume));
  chunks.update();
  const parts: Chunk[] = [];
  while (chunks.waiting > 0) parts.push(...(await chunks.next()));
  return parts.toSorted((a, b) => a.key - b.key);
}

/** What a camera in the world's origin sees: the depth in metres on each ray. */
const frameOf = (depthOn: (u: number, v: number) => number): Fusable => {
  const { width, height, fx, fy, cx, cy } = LENS;
  const depth = Uint16Array.from({ length: width * height }, (_, i) =>
    Math.round(depthOn(((i % width) - cx) / fx, (Math.floor(i / width) - cy) / fy) / 0.0001),
  );
  return { depth: image(depth, [height, width]), metresPerUnit: 0.0001, intrinsics: LENS };
};
const HERE = rigid();
const wall = (z: number) => frameOf(() => z);
const plate = frameOf((u, v) => (Math.max(Math.abs(u), Math.abs(v)) < 0.2 ? 0.6 : 0.9));
/** The third coordinates of a mesh's vertices. */
const depthsOf = (volume: Volume) => [...meshOf(volume, KNOWN).positions.filter((_, i) => i % 3 === 2)];

test("there is no surface from an outline to what lies behind it", () => {
  const volume = newVolume();
  for (let i = 0; i < 16; i++) volume.add(plate, HERE);
  const depths = depthsOf(volume);
  expect(depths.filter((z) => z < 0.7).length).toBeGreaterThan(400);
  expect(depths.filter((z) => z >= 0.7).length).toBeGreaterThan(4000);
  // The last vertices before the outline may lie a voxel behind it.
  for (const z of depths) expect(Math.min(Math.abs(z - 0.6), Math.abs(z - 0.9))).toBeLessThan(0.011);
});

test("what two frames of many saw from afar is there", () => {
  const volume = newVolume({ voxelM: 0.03 });
  for (let i = 0; i < 30; i++) volume.add(i % 15 === 0 ? wall(3) : wall(0), HERE);
  expect(depthsOf(volume).filter((z) => Math.abs(z - 3) < 0.002).length).toBeGreaterThan(1000);
});

test("a floor that is seen at a grazing angle has no holes", () => {
  const volume = newVolume();
  // Half a voxel beside the faces of bricks.
  const floor = frameOf((_, v) => (v > 0.22 ? 0.315 / v : 0));
  for (let i = 0; i < 16; i++) volume.add(floor, HERE);
  const mesh = meshOf(volume, KNOWN);
  const inner = [...edgesOf(mesh)].filter(([edge, faces]) => {
    const [x, , z] = mesh.positions.subarray(3 * Number(edge.split(" ")[0]));
    return faces === 1 && z > 0.9 && z < 1.3 && Math.abs(x) < 0.3;
  });
  expect(inner).toEqual([]);
  expect(depthsOf(volume).filter((z) => z > 0.9 && z < 1.3).length).toBeGreaterThan(2000);
});

test("voxels before a slanted wall have their distance to it, also towards the image's borders", () => {
  const volume = newVolume();
  const [nx, nz] = [Math.SQRT1_2, Math.SQRT1_2];
  const slant = frameOf((u) => 0.5 / (nx * u + nz));
  volume.add(slant, HERE);
  const { bricks, views } = volume;
  const off: number[] = [];
  let least = 0;
  for (let brick = 0; brick < bricks.count; brick++) {
    for (let voxel = 0; voxel < VOXELS; voxel++) {
      const at = (bricks.at(brick) >> 1) + voxel;
      const distance = views.distances[at] / DISTANCE_UNITS;
      least = Math.min(least, distance);
      if (views.weights[at + (WEIGHTS >> 1)] === 0 || Math.abs(distance) > 0.9) continue;
      const x = (8 * bricks.coordinates[3 * brick] + (voxel & 7)) * 0.01;
      const z = (8 * bricks.coordinates[3 * brick + 2] + (voxel >> 6)) * 0.01;
      off.push(Math.abs(0.04 * distance - (0.5 - nx * x - nz * z)));
    }
  }
  off.sort((a, b) => a - b);
  expect(off.length).toBeGreaterThan(10_000);
  expect(off[Math.floor(0.95 * off.length)]).toBeLessThan(0.0005);
  // Behind an outline what lies deeper would remain as a surface that nobody saw.
  expect(least).toBeGreaterThan(-DEEPEST);
});

test("a volume of more memory than it can address takes 2 GiB", () => {
  const { bricks } = newVolume({ mostBytes: 2 ** 40 }, true);
  expect(bricks.at(bricks.most)).toBeLessThanOrEqual(2 ** 31);
  expect(bricks.at(bricks.most)).toBeGreaterThan(2 ** 30);
});

test("a volume takes no more memory than it may, and says that it is full", () => {
  const mostBytes = 2 ** 22;
  const volume = newVolume({ mostBytes, voxelM: 0.005 });
  for (const pose of AROUND) volume.add(seen(pose), pose);
  expect(volume.isFull).toBe(true);
  expect(volume.bricks.memory.buffer.byteLength).toBeLessThanOrEqual(mostBytes + 2 * 65536);
  expect(meshOf(volume, 1).indices.length).toBeGreaterThan(0);
});

test("a frame with more pixels than a volume is made for is refused", () => {
  const pose = AROUND[0];
  const why = new RangeError("the volume is made for frames of 100 pixels, and this one has 160 × 120");
  expect(() => newVolume({ pixels: 100 }).add(seen(pose), pose)).toThrow(why);
});

test("WebAssembly and TypeScript add a Kinect's frames to the same bits, also on memory that was used before, and make the same mesh of them", async () => {
  vi.stubEnv("DEPTHLOOM_THREADS", "3");
  const room = syntheticRoom({ cameraMotion: "handheld", sensor: "kinect-v1", width: 160, height: 120 });
  const [fast, plain] = [newVolume({ voxelM: 0.02 }), newVolume({ voxelM: 0.02 }, true)];
  fast.add(wall(0.7), HERE);
  fast.clear();
  for (let index = 0; index < 600; index += 120) {
    const [frame, pose] = [await room.read(index), Float64Array.from((await room.pose(index)).slice(0, 12))];
    fast.add(frame, pose);
    plain.add(frame, pose);
  }
  const parts = await partsOf(fast);
  expect(parts.reduce((sum, { indices }) => sum + indices.length, 0)).toBeGreaterThan(30_000);
  expect(parts).toEqual(await partsOf(plain));
  fast.destroy();
  vi.unstubAllEnvs();
  const bytes = ({ bricks }: typeof fast) =>
    Buffer.from(bricks.memory.buffer, bricks.start, bricks.count * bricks.bytes);
  expect(fast.bricks.count).toBeGreaterThan(500);
  expect(bytes(fast).equals(bytes(plain))).toBe(true);
});

test.each([1, 0.004])(
  "WebAssembly and TypeScript make the same mesh of a cube of which a share %f is noise, whether it has room for all of it or not",
  async (noisy) => {
    const [fast, plain] = [newVolume(), newVolume({}, true)].map((volume) => {
      volume.add(wall(0), HERE);
      for (let i = 0; i < 64; i++) volume.bricks.make(i & 3, (i >> 2) & 3, i >> 4);
      volume.bricks.reserve();
      volume.changed.fill(1, 0, 64);
      let seed = 1;
      const next = () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed >>> 16;
      };
      for (let brick = 0; brick < 64; brick++) {
        const at = volume.bricks.at(brick) >> 1;
        const { distances, weights } = volume.views;
        for (let i = 0; i < VOXELS; i++) distances[at + i] = next() < 65536 * noisy ? next() - 32768 : 9;
        for (let i = 0; i < VOXELS; i++) weights[at + (WEIGHTS >> 1) + i] = next() < 50_000 ? 20_000 : next() & 31;
      }
      return volume;
    });
    const parts = await partsOf(fast);
    fast.destroy();
    expect(parts.reduce((sum, { indices }) => sum + indices.length, 0)).toBeGreaterThan(100);
    expect(parts).toEqual(await partsOf(plain));
  },
);
