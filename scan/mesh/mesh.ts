import type { Rule } from "../../core/check.ts";
import { EDGE } from "../volume/layout.ts";
import type { Volume } from "../volume/volume.ts";
import { ALL_CELLS, CELLS } from "./layout.ts";
import { Nets } from "./nets.ts";

/** A triangle mesh. */
export interface Mesh {
  /** Metres, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals, towards the side from which the surface was seen. */
  readonly normals: Float32Array;
  /** Red, green and blue, 0 … 255, as sRGB. Empty where the recording has no colour. */
  readonly colours: Uint8Array;
  /** Three vertices for each triangle, counterclockwise as seen from where the surface was seen. */
  readonly indices: Uint32Array;
}

/** Accepts a mesh. */
export const meshRule: Rule = {
  expects: "a mesh with positions and indices",
  holds: (value) => {
    const { positions, indices } = { ...(value as Partial<Mesh> | null) };
    return positions instanceof Float32Array && indices instanceof Uint32Array;
  },
};

/** The whole surface of a volume as one mesh, whose bricks share vertices. Voxels of less weight than `least` are unknown. */
export function meshOf(volume: Volume, least: number): Mesh {
  const { bricks } = volume;
  const { voxelM, hasColour } = volume.options;
  const nets = new Nets(volume, least);
  const positions = new Growing(Float32Array);
  const normals = new Growing(Float32Array);
  const colours = new Growing(Uint8Array);
  const indices = new Growing(Uint32Array);
  /** The number of each cell's vertex, by brick. */
  const known = new Map<number, Int32Array>();
  const numbers = new Uint32Array(ALL_CELLS);
  for (let brick = 0; brick < bricks.count; brick++) {
    const net = nets.of(brick);
    if (net.triangles === 0) continue;
    const [bx, by, bz] = bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    const use = (vertex: number): number => {
      const cell = net.cells[vertex];
      const [x, y, z] = [(cell % CELLS) - 1, (Math.floor(cell / CELLS) % CELLS) - 1, Math.floor(cell / CELLS ** 2) - 1];
      const isOwn = x >= 0 && y >= 0 && z >= 0;
      const owner = isOwn ? brick : bricks.find(bx + (x >> 3), by + (y >> 3), bz + (z >> 3));
      const list = known.get(owner) ?? new Int32Array(EDGE ** 3).fill(-1);
      known.set(owner, list);
      const at = (x & 7) + EDGE * (y & 7) + EDGE * EDGE * (z & 7);
      if (list[at] >= 0) return list[at];
      list[at] = positions.length / 3;
      for (let i = 3 * vertex; i < 3 * vertex + 3; i++) {
        positions.push(net.positions[i] * voxelM);
        normals.push(net.normals[i]);
        if (hasColour) colours.push(Math.round(net.colours[i]));
      }
      return list[at];
    };
    numbers.fill(0, 0, net.vertices);
    for (let i = 0; i < 3 * net.triangles; i++) {
      const vertex = net.faces[i];
      // 0 is "not asked yet".
      numbers[vertex] ||= use(vertex) + 1;
      indices.push(numbers[vertex] - 1);
    }
  }
  return { positions: positions.taken, normals: normals.taken, colours: colours.taken, indices: indices.taken };
}

/** A typed array that grows. */
class Growing<T extends Float32Array | Uint8Array | Uint32Array> {
  length = 0;
  #array: T;

  constructor(readonly kind: new (length: number) => T) {
    this.#array = new kind(4096);
  }

  push(value: number): void {
    if (this.length === this.#array.length) {
      const made = new this.kind(2 * this.length);
      made.set(this.#array);
      this.#array = made;
    }
    this.#array[this.length++] = value;
  }

  /** The pushed values, in an array of their own. */
  get taken(): T {
    return this.#array.slice(0, this.length) as T;
  }
}
