import type { BufferGeometry, Mesh as Shape } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { PLYLoader } from "three/examples/jsm/loaders/PLYLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { expect, test } from "vitest";
import { type MeshFormat, meshFile } from "../../viewer/scan/mesh/files.ts";
import type { Mesh } from "../../viewer/scan/mesh/mesh.ts";
import { cropped, simplified, withoutFlecks } from "../../viewer/scan/mesh/tidy.ts";
import { BALL, ballOf } from "./world.ts";

// Files of a mesh, as Three.js' loaders read them, and what is done to a mesh before it is written.

const ball = ballOf(0.02);
const [x, y, z] = BALL.centre;

const bufferOf = (format: MeshFormat, mesh: Mesh = ball): ArrayBuffer => new Uint8Array(meshFile(mesh, format)).buffer;
const geometryOf = (root: { children: unknown[] }) => (root.children[0] as Shape).geometry;
const read: Record<MeshFormat, (bytes: ArrayBuffer) => BufferGeometry | Promise<BufferGeometry>> = {
  glb: async (bytes) => geometryOf((await new GLTFLoader().parseAsync(bytes, "")).scene),
  ply: (bytes) => new PLYLoader().parse(bytes),
  stl: (bytes) => new STLLoader().parse(bytes),
  obj: (bytes) => geometryOf(new OBJLoader().parse(new TextDecoder().decode(bytes))),
};

test.each([
  { format: "ply", centre: [x, y, z] },
  { format: "glb", centre: [x, -y, -z] },
  { format: "obj", centre: [x, -y, -z] },
  { format: "stl", centre: [x, z, -y] },
] as const)(
  "Three.js opens a $format with all triangles, in its axes, in metres and with colours",
  async ({ format, centre }) => {
    const geometry = await read[format](bufferOf(format));
    const places = geometry.getAttribute("position");
    expect((geometry.index ?? places).count).toBe(ball.indices.length);
    geometry.computeBoundingSphere();
    const { boundingSphere } = geometry;
    for (const [axis, value] of (boundingSphere?.center.toArray() ?? []).entries())
      expect(value).toBeCloseTo(centre[axis], 2);
    expect(boundingSphere?.radius).toBeCloseTo(BALL.radius, 2);
    // A triangle's normal points away from the middle, as its corners are told counterclockwise.
    const normals = geometry.getAttribute("normal");
    const out = [places.getX(0), places.getY(0), places.getZ(0)].map((value, axis) => value - centre[axis]);
    expect(out[0] * normals.getX(0) + out[1] * normals.getY(0) + out[2] * normals.getZ(0)).toBeGreaterThan(0.18);
    const colour = geometry.getAttribute("color");
    if (format === "stl") expect(colour).toBeUndefined();
    // sRGB 200 is 0.578 in linear light, in which Three.js computes.
    else expect(colour.getX(5)).toBeCloseTo(0.578, 1);
  },
);

test("a simplified mesh has no more triangles than asked for, and says how far off it is", async () => {
  const { mesh, offM } = await simplified(ball, 500);
  expect(mesh.indices.length / 3).toBeLessThanOrEqual(500);
  expect(mesh.indices.length / 3).toBeGreaterThan(300);
  expect(offM).toBeGreaterThan(0);
  expect(offM).toBeLessThan(0.02);
  expect(mesh.positions.length).toBe(mesh.normals.length);
  expect(Math.max(...mesh.indices)).toBe(mesh.positions.length / 3 - 1);
  expect((await simplified(ball, 1e6)).mesh).toBe(ball);
});

test("flecks go, and the largest piece stays", () => {
  const [all, largest] = [withoutFlecks(ball, 1), withoutFlecks(ball, Infinity)];
  const pieces = {
    ...ball,
    indices: Uint32Array.from([...ball.indices.subarray(0, 3), ...ball.indices.subarray(-3000)]),
  };
  expect(all.indices).toEqual(ball.indices);
  expect(largest.indices).toEqual(ball.indices);
  expect(withoutFlecks(pieces, 5).indices).toHaveLength(3000);
});

test("a crop keeps the triangles in its box", () => {
  const half = cropped(ball, [-1, -1, 0, 1, 1, z]);
  expect(half.indices.length).toBeGreaterThan(0.4 * ball.indices.length);
  expect(half.indices.length).toBeLessThan(0.55 * ball.indices.length);
  expect(half.positions.every((value, i) => i % 3 !== 2 || value <= z)).toBe(true);
  expect(cropped(ball, [5, 5, 5, 6, 6, 6]).indices).toHaveLength(0);
});
