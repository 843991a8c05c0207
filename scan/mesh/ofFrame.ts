import { checkFrame } from "../../core/checkFrame.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { pointAt } from "../../core/geometry.ts";
import type { Mesh } from "./mesh.ts";

/** Neighbours whose depths differ by more than this share lie on two surfaces; a steep one in a coarse image may differ by more. */
const APART = 0.02;
const APART_PX = 8;

/**
 * One frame as a mesh, in its camera's axes: two triangles between four neighbouring pixels, and none across an edge between a near
 * surface and a far one, where nothing was seen. The lens must have no distortion; the stage `undistort` removes it.
 *
 * @example
 * await writeFile("view.ply", meshFile(meshOfFrame(await recording.read(0)), "ply"));
 */
export function meshOfFrame(frame: DepthFrame): Mesh {
  checkFrame(frame);
  const { depth, metresPerUnit, intrinsics, color } = frame;
  const { width, height, fx } = intrinsics;
  const limit = Math.max(APART, APART_PX / fx);
  const numbers = new Int32Array(width * height).fill(-1);
  const positions: number[] = [];
  const colours: number[] = [];
  const indices: number[] = [];
  const use = (pixel: number): number => {
    if (numbers[pixel] >= 0) return numbers[pixel];
    const z = depth.data[pixel] * metresPerUnit;
    positions.push(...pointAt(intrinsics, pixel % width, Math.floor(pixel / width), z));
    if (color) colours.push(...color.data.subarray(4 * pixel, 4 * pixel + 3));
    numbers[pixel] = positions.length / 3 - 1;
    return numbers[pixel];
  };
  const add = (a: number, b: number, c: number) => {
    const [da, db, dc] = [depth.data[a], depth.data[b], depth.data[c]];
    const least = Math.min(da, db, dc);
    if (least > 0 && Math.max(da, db, dc) - least <= limit * least) indices.push(use(a), use(b), use(c));
  };
  for (let y = 0; y + 1 < height; y++) {
    for (let x = 0; x + 1 < width; x++) {
      const a = y * width + x;
      const [b, c, d] = [a + 1, a + width, a + width + 1];
      // The diagonal between the depths that differ less: the other one may cross an edge.
      const isFalling = Math.abs(depth.data[a] - depth.data[d]) < Math.abs(depth.data[b] - depth.data[c]);
      add(a, c, isFalling ? d : b);
      add(isFalling ? a : c, d, b);
    }
  }
  const [places, corners] = [Float32Array.from(positions), Uint32Array.from(indices)];
  return {
    positions: places,
    indices: corners,
    colours: Uint8Array.from(colours),
    normals: normalsOf(places, corners),
  };
}

/** The normal of each vertex: the mean of its triangles' normals, by their areas. */
function normalsOf(p: Float32Array, indices: Uint32Array): Float32Array {
  const normals = new Float32Array(p.length);
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [3 * indices[i], 3 * indices[i + 1], 3 * indices[i + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const corner of [a, b, c]) for (let axis = 0; axis < 3; axis++) normals[corner + axis] += normal[axis];
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    for (let axis = 0; axis < 3; axis++) normals[i + axis] /= length;
  }
  return normals;
}
