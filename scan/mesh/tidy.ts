import { checkArgument, or, type Rule, whole } from "../../core/check.ts";
import { type Mesh, meshRule } from "./mesh.ts";

/** A box with its sides along the axes: least x, y, z, then greatest, in metres. */
export type Box = readonly [number, number, number, number, number, number];

/** Accepts a box. */
export const boxRule: Rule = {
  expects: "six numbers",
  holds: (value) => Array.isArray(value) && value.length === 6 && value.every(Number.isFinite),
};

const countRule = or(whole(0), Infinity);

/**
 * The mesh without the triangles that do not lie wholly in a box.
 *
 * @example
 * const table = cropped(mesh, [-0.5, -0.5, 0.4, 0.5, 0.5, 1.2]);
 */
export function cropped(mesh: Mesh, box: Box): Mesh {
  checkArgument("cropped", "the mesh", meshRule, mesh);
  checkArgument("cropped", "the box", boxRule, box);
  const [x0, y0, z0, x1, y1, z1] = box;
  const { positions: p } = mesh;
  const isIn = (v: number) =>
    p[3 * v] >= x0 &&
    p[3 * v] <= x1 &&
    p[3 * v + 1] >= y0 &&
    p[3 * v + 1] <= y1 &&
    p[3 * v + 2] >= z0 &&
    p[3 * v + 2] <= z1;
  return kept(mesh, (a, b, c) => isIn(a) && isIn(b) && isIn(c));
}

/**
 * The mesh without pieces that have fewer triangles than `least`; with `Infinity` the largest piece alone.
 *
 * @example
 * const tidy = withoutFlecks(mesh, 300);
 */
export function withoutFlecks(mesh: Mesh, least: number): Mesh {
  checkArgument("withoutFlecks", "the mesh", meshRule, mesh);
  checkArgument("withoutFlecks", "the number of triangles", countRule, least);
  const { indices, positions } = mesh;
  const roots = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
  const rootOf = (vertex: number) => {
    let at = vertex;
    while (roots[at] !== at) {
      roots[at] = roots[roots[at]];
      at = roots[at];
    }
    return at;
  };
  for (let i = 0; i < indices.length; i += 3) {
    const a = rootOf(indices[i]);
    roots[rootOf(indices[i + 1])] = a;
    roots[rootOf(indices[i + 2])] = a;
  }
  const sizes = new Uint32Array(roots.length);
  for (let i = 0; i < indices.length; i += 3) sizes[rootOf(indices[i])]++;
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  return kept(mesh, (a) => sizes[rootOf(a)] >= Math.min(least, most));
}

/** A simplified mesh. */
export interface Simplified {
  /** The mesh; the given mesh where that had few enough triangles. */
  readonly mesh: Mesh;
  /** How far the mesh's surface is from that of the given mesh, in metres, as meshoptimizer says. */
  readonly offM: number;
}

/**
 * The mesh with at most `triangles` triangles, by meshoptimizer.
 *
 * @example
 * const { mesh: small, offM } = await simplified(mesh, 50_000);
 */
export async function simplified(mesh: Mesh, triangles: number): Promise<Simplified> {
  checkArgument("simplified", "the mesh", meshRule, mesh);
  checkArgument("simplified", "the number of triangles", countRule, triangles);
  if (mesh.indices.length <= 3 * triangles) return { mesh, offM: 0 };
  const { MeshoptSimplifier: simplifier } = await import("meshoptimizer/simplifier");
  await simplifier.ready;
  const { positions, indices } = mesh;
  const [fewer, error] = simplifier.simplify(indices, positions, 3, 3 * triangles, 1, ["LockBorder"]);
  // A locked border may leave more triangles than were asked for.
  const isEnough = fewer.length <= 3 * triangles;
  const [found, off] = isEnough ? [fewer, error] : simplifier.simplify(indices, positions, 3, 3 * triangles, 1);
  return { mesh: packed({ ...mesh, indices: found }), offM: off * simplifier.getScale(positions, 3) };
}

function kept(mesh: Mesh, keeps: (a: number, b: number, c: number) => boolean): Mesh {
  const { indices } = mesh;
  const taken = new Uint32Array(indices.length);
  let count = 0;
  for (let i = 0; i < indices.length; i += 3) {
    if (!keeps(indices[i], indices[i + 1], indices[i + 2])) continue;
    taken.set(indices.subarray(i, i + 3), count);
    count += 3;
  }
  return packed({ ...mesh, indices: taken.slice(0, count) });
}

/** The mesh without vertices that no triangle has; the others stay in their order. */
function packed({ positions, normals, colours, indices }: Mesh): Mesh {
  const numbers = new Int32Array(positions.length / 3).fill(-1);
  for (const vertex of indices) numbers[vertex] = 0;
  let count = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] === 0) numbers[i] = count++;
  const taken = <T extends Float32Array | Uint8Array>(array: T): T =>
    array.filter((_, i) => numbers[Math.floor(i / 3)] >= 0) as T;
  return {
    positions: taken(positions),
    normals: taken(normals),
    colours: taken(colours),
    indices: indices.map((vertex) => numbers[vertex]),
  };
}

/** Axes for files: each row says which axis of the mesh a file's axis is, and its sign. Both are right-handed. */
const AXES = {
  /** The first camera's: x right, y down, z forward. */
  camera: [1, 2, 3],
  /** x right, y up, z backward. */
  yUp: [1, -2, -3],
  /** x right, y forward, z up. */
  zUp: [1, 3, -2],
} as const;

/** The mesh in other axes. */
export function inAxes(mesh: Mesh, axes: keyof typeof AXES): Mesh {
  const turned = (from: Float32Array) => {
    const to = new Float32Array(from.length);
    for (const [axis, source] of AXES[axes].entries()) {
      const at = Math.abs(source) - 1;
      // -0 would be other bytes than 0.
      for (let i = 0; i < from.length; i += 3) to[i + axis] = Math.sign(source) * from[i + at] + 0;
    }
    return to;
  };
  return { ...mesh, positions: turned(mesh.positions), normals: turned(mesh.normals) };
}
