import { Cubes } from "../../scan/mesh/cube.ts";
import { COLOURS, VOXELS, WEIGHTS } from "../../scan/volume/layout.ts";
import type { Volume } from "../../scan/volume/volume.ts";

/** How much two volumes that saw the same frames differ. */
interface Differences {
  /** Voxels that at least one of the two has seen, in bricks that both have. */
  readonly voxels: number;
  /** The number of bricks that only one volume has, divided by the number that both have. */
  readonly alone: number;
  /** The shares of those voxels whose distances or weights are more than a unit apart, and whose colours are not equal. */
  readonly distances: number;
  readonly weights: number;
  readonly colours: number;
}

export function differencesOf(one: Volume, other: Volume): Differences {
  const [ours, theirs] = [one.views, other.views];
  let [common, voxels, distances, weights, colours] = [0, 0, 0, 0, 0];
  for (let brick = 0; brick < one.bricks.count; brick++) {
    const [x, y, z] = one.bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    const twin = other.bricks.find(x, y, z);
    if (twin < 0) continue;
    common++;
    const [a, b] = [one.bricks.at(brick), other.bricks.at(twin)];
    for (let i = 0; i < VOXELS; i++) {
      const weight = ours.weights[((a + WEIGHTS) >> 1) + i];
      const twins = theirs.weights[((b + WEIGHTS) >> 1) + i];
      if (weight === 0 && twins === 0) continue;
      voxels++;
      if (Math.abs(weight - twins) > 1) weights++;
      if (Math.abs(ours.distances[(a >> 1) + i] - theirs.distances[(b >> 1) + i]) > 1) distances++;
      if (one.options.hasColour && ours.words[((a + COLOURS) >> 2) + i] !== theirs.words[((b + COLOURS) >> 2) + i])
        colours++;
    }
  }
  const alone = (one.bricks.count + other.bricks.count - 2 * common) / common;
  return { voxels, alone, distances: distances / voxels, weights: weights / voxels, colours: colours / voxels };
}

/** How many triangles the surface in all bricks has. */
export function trianglesIn(volume: Volume): number {
  const cubes = new Cubes(volume);
  let corners = 0;
  for (let brick = 0; brick < volume.bricks.count; brick++) corners += cubes.of([[brick]])[0].indices.length;
  return corners / 3;
}
