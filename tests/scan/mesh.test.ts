import {
  type BufferGeometry,
  FrontSide,
  MeshBasicMaterial,
  Raycaster,
  type Mesh as Shape,
  Mesh as ThreeMesh,
  Vector3,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { PLYLoader } from "three/examples/jsm/loaders/PLYLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { expect, test } from "vitest";
import { image } from "../../core/array.ts";
import { type MeshFormat, meshFile } from "../../scan/mesh/files.ts";
import type { Mesh } from "../../scan/mesh/mesh.ts";
import { meshOfFrame } from "../../scan/mesh/ofFrame.ts";
import { cropped, simplified, withoutFlecks } from "../../scan/mesh/tidy.ts";
import { meshGeometry } from "../../viewer/three/meshGeometry.ts";
import { BALL, ballOf, LENS, lookingAtBall, seen } from "./world.ts";

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
    // The voxels are 20 mm wide.
    expect(Math.abs((boundingSphere?.radius ?? 0) - BALL.radius)).toBeLessThan(0.007);
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

test("a mesh is a geometry of Three.js, in its axes, with normals and colours", () => {
  const geometry = meshGeometry(ball);
  geometry.computeBoundingSphere();
  for (const [axis, value] of (geometry.boundingSphere?.center.toArray() ?? []).entries())
    expect(value).toBeCloseTo([x, -y, -z][axis], 2);
  const caster = new Raycaster(new Vector3(x, -y, 0), new Vector3(0, 0, -1));
  const [hit] = caster.intersectObject(new ThreeMesh(geometry, new MeshBasicMaterial({ side: FrontSide })));
  expect(hit.distance).toBeCloseTo(z - BALL.radius, 2);
  expect(hit.normal?.z).toBeGreaterThan(0.9);
  expect(geometry.getAttribute("color").getX(5)).toBeCloseTo(0.578, 1);
  expect(meshGeometry({ ...ball, colours: new Uint8Array(0) }).hasAttribute("color")).toBe(false);
});

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

test("one frame is a mesh without sheets between what is near and what is far", () => {
  const frame = { ...seen(lookingAtBall([0, 0, 0])), timestamp: 0, index: 0 };
  const { positions, normals, colours, indices } = meshOfFrame(frame);
  expect(indices.length / 3).toBeGreaterThan(0.9 * 2 * LENS.width * LENS.height);
  const redOf = (vertex: number) => colours[3 * vertex];
  let toCamera = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const corners = [...indices.subarray(i, i + 3)];
    // The ball is red, and what lies behind it green.
    expect(new Set(corners.map(redOf)).size).toBe(1);
    const at = 3 * corners[0];
    const along = [0, 1, 2].reduce((sum, axis) => sum + positions[at + axis] * normals[at + axis], 0);
    if (along < 0) toCamera++;
  }
  expect(toCamera).toBe(indices.length / 3);
  const blank = { ...frame, depth: image(new Uint16Array(LENS.width * LENS.height), [LENS.height, LENS.width]) };
  expect(meshOfFrame(blank).indices).toHaveLength(0);
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
