import { COLOURS } from "../volume/layout.ts";
import { KNOWN, type Volume } from "../volume/volume.ts";
import {
  AROUND,
  AROUND_BYTES,
  COLOURS_OUT,
  CORNERS,
  CUBE,
  HAS_COLOUR,
  INDICES,
  IS_OVER,
  LEAST,
  NORMALS,
  ORIGIN,
  POSITIONS,
  SLOT_BYTES,
  VERTICES,
  VOXEL_M,
  WELL,
} from "./layout.ts";
import { MOST_CORNERS, MOST_OF_BRICK, Nets } from "./nets.ts";

/** A part of a surface, to be drawn. */
export interface CubeMesh {
  /** Metres, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals times 127, towards free space; four numbers for each vertex, the fourth 0. */
  readonly normals: Int8Array;
  /** Red, green, blue, and how well the surface was seen: 255 from `WELL` on. Four numbers for each vertex. */
  readonly colours: Uint8Array;
  /** Three vertices for each triangle; none where the surface is gone. */
  readonly indices: Uint32Array;
}

/** Makes the surface in a cube of bricks. assembly/cube.ts is the fast form, with the same bits. */
class Cube {
  readonly #nets: Nets;
  readonly #room = {
    positions: new Float32Array(3 * CUBE * MOST_OF_BRICK),
    normals: new Int8Array(4 * CUBE * MOST_OF_BRICK),
    colours: new Uint8Array(4 * CUBE * MOST_OF_BRICK),
    indices: new Uint32Array(CUBE * MOST_CORNERS),
  };

  constructor(readonly volume: Volume) {
    this.#nets = new Nets(volume, KNOWN);
  }

  of(bricks: readonly number[]): CubeMesh {
    const { voxelM } = this.volume.options;
    const { positions, normals, colours, indices } = this.#room;
    let vertices = 0;
    let corners = 0;
    for (const brick of bricks) {
      const net = this.#nets.of(brick);
      if (net.triangles === 0) continue;
      for (let i = 0; i < net.vertices; i++) {
        const to = vertices + i;
        for (let k = 0; k < 3; k++) {
          positions[3 * to + k] = net.positions[3 * i + k] * voxelM;
          normals[4 * to + k] = net.normals[3 * i + k] * 127;
          colours[4 * to + k] = net.colours[3 * i + k];
        }
        colours[4 * to + 3] = Math.min(255, (255 * net.weights[i]) / WELL);
      }
      for (let i = 0; i < 3 * net.triangles; i++) indices[corners + i] = vertices + net.faces[i];
      vertices += net.vertices;
      corners += 3 * net.triangles;
    }
    return {
      positions: positions.slice(0, 3 * vertices),
      normals: normals.slice(0, 4 * vertices),
      colours: colours.slice(0, 4 * vertices),
      indices: indices.slice(0, corners),
    };
  }
}

/** Makes the surfaces in a few cubes of bricks at a time, each a list of at most 64 numbers of bricks. */
export interface CubeMaker {
  /** How many may be made at a time. */
  readonly most: number;
  /** `undefined` for a cube whose mesh has no room. */
  of(cubes: readonly (readonly number[])[]): (CubeMesh | undefined)[] | Promise<(CubeMesh | undefined)[]>;
}

/** The CPU makes them; a cube always has room. */
export class Cubes implements CubeMaker {
  #plain: Cube | undefined;
  #words = new Int32Array(0);
  #floats = new Float64Array(0);

  constructor(readonly volume: Volume) {}

  get most(): number {
    return Math.max(1, this.volume.slots.count);
  }

  of(cubes: readonly (readonly number[])[]): CubeMesh[] {
    const { slots } = this.volume;
    if (slots.count === 0) return cubes.map((bricks) => this.#slowly(bricks));
    for (const [i, bricks] of cubes.entries()) this.#fill(slots.start + i * SLOT_BYTES, bricks);
    this.volume.makeCubes(cubes.length);
    return cubes.map((bricks, i) => this.#taken(slots.start + i * SLOT_BYTES) ?? this.#slowly(bricks));
  }

  #slowly(bricks: readonly number[]): CubeMesh {
    this.#plain ??= new Cube(this.volume);
    return this.#plain.of(bricks);
  }

  /** Writes a cube's options and its list of bricks for the fast form. */
  #fill(slot: number, list: readonly number[]): void {
    const { bricks, options } = this.volume;
    const { buffer } = bricks.memory;
    if (this.#words.buffer !== buffer) {
      this.#words = new Int32Array(buffer);
      this.#floats = new Float64Array(buffer);
    }
    const words = this.#words;
    words[slot >> 2] = list.length;
    words[(slot + HAS_COLOUR) >> 2] = bricks.bytes > COLOURS ? 1 : 0;
    words[(slot + LEAST) >> 2] = KNOWN;
    this.#floats[(slot + VOXEL_M) >> 3] = options.voxelM;
    for (const [i, brick] of list.entries()) {
      const at = (slot + AROUND + i * AROUND_BYTES) >> 2;
      bricks.around(brick, words, at);
      for (let axis = 0; axis < 3; axis++)
        words[at + (ORIGIN - AROUND) / 4 + axis] = 8 * bricks.coordinates[3 * brick + axis] - 1;
    }
  }

  /** The mesh that the fast form made; `undefined` where the form had too little room. */
  #taken(slot: number): CubeMesh | undefined {
    const words = this.#words;
    const { buffer } = words;
    const [vertices, corners] = [words[(slot + VERTICES) >> 2], words[(slot + CORNERS) >> 2]];
    if (words[(slot + IS_OVER) >> 2] > 0) return undefined;
    return {
      positions: new Float32Array(buffer, slot + POSITIONS, 3 * vertices).slice(),
      normals: new Int8Array(buffer, slot + NORMALS, 4 * vertices).slice(),
      colours: new Uint8Array(buffer, slot + COLOURS_OUT, 4 * vertices).slice(),
      indices: new Uint32Array(buffer, slot + INDICES, corners).slice(),
    };
  }
}
