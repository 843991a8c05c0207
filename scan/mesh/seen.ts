import { cross } from "../../core/geometry.ts";
import type { Mesh } from "./mesh.ts";

/**
 * The share of a surface that a mesh has, at most. The normals of a closed surface, each as long as its area is large, add up to nothing;
 * what they add up to here is the least surface that closes the mesh, as the bottom of a thing on a table.
 */
export function seenShareOf({ positions: p, indices }: Mesh): number {
  const sum = [0, 0, 0];
  let area = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [3 * indices[i], 3 * indices[i + 1], 3 * indices[i + 2]];
    const [ab, ac] = [b, c].map((to) => [p[to] - p[a], p[to + 1] - p[a + 1], p[to + 2] - p[a + 2]]);
    const normal = cross(ab, ac);
    for (let k = 0; k < 3; k++) sum[k] += normal[k];
    area += Math.hypot(...normal);
  }
  return area > 0 ? area / (area + Math.hypot(...sum)) : 0;
}
