import { COLOURS, DISTANCE_UNITS, EDGE, WEIGHTS } from "../volume/layout.ts";
import type { Volume } from "../volume/volume.ts";

/** Samples along an edge of a brick and its borders: one voxel before the brick and one behind it. */
const SIDE = EDGE + 2;
/** Cells along an edge: those of the brick and those before it, which faces on the brick's border need. */
const CELLS = EDGE + 1;
const STRIDES = [1, SIDE, SIDE * SIDE] as const;
const CELL_STRIDES = [1, CELLS, CELLS * CELLS] as const;
/** The eight corners of a cell, and the twelve pairs of them that are its edges, one after the other. */
const CORNERS = Int32Array.from({ length: 8 }, (_, i) => (i & 1) * 1 + ((i >> 1) & 1) * SIDE + (i >> 2) * SIDE * SIDE);
const EDGES = Int32Array.from(
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap((a) =>
    [1, 2, 4].filter((axis) => (a & axis) === 0).flatMap((axis) => [a, a | axis]),
  ),
);
/** Of each sample: which of the 27 bricks it lies in, and its voxel there. */
const OF_BRICK = new Uint8Array(SIDE ** 3);
const OF_VOXEL = new Uint16Array(SIDE ** 3);
for (let i = 0; i < SIDE ** 3; i++) {
  const places = [i % SIDE, Math.floor(i / SIDE) % SIDE, Math.floor(i / SIDE ** 2)];
  const [x, y, z] = places.map((place) => (place + 7) & 7);
  const [bx, by, bz] = places.map((place) => (place + 7) >> 3);
  OF_BRICK[i] = bx + 3 * by + 9 * bz;
  OF_VOXEL[i] = x + EDGE * y + EDGE * EDGE * z;
}
/** The middle one of the 27 bricks. */
const OWN = 13;

/** The part of a surface whose faces belong to one brick. Arrays are valid until the next one is made. */
export interface Net {
  /** Positions in voxels from the world's origin, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals out of the surface, towards free space. */
  readonly normals: Float32Array;
  /** Red, green and blue, 0 … 255. */
  readonly colours: Float32Array;
  /** By vertex: the mean weight of the voxels between which it lies. */
  readonly weights: Float32Array;
  /** By vertex: its cell, as x + 9 y + 81 z; cell (1, 1, 1) begins at the brick's first voxel. */
  readonly cells: Uint16Array;
  vertices: number;
  /** Vertices of triangles, three numbers for each, counterclockwise as seen from free space. */
  readonly faces: Uint16Array;
  triangles: number;
}

/**
 * Surface nets (Gibson 1998): each cell of eight voxels that the surface crosses has one vertex, the mean of the crossings of its edges.
 * Each edge that the surface crosses has a face between the four cells around it, or a triangle where one of these is unknown. Vertices
 * depend on a cell's voxels alone, so neighbouring bricks make the same ones and there are no cracks between them.
 */
export class Nets {
  /** The voxels' distances; NaN where the surface is unknown. */
  readonly #distance = new Float32Array(SIDE ** 3);
  readonly #weight = new Float32Array(SIDE ** 3);
  readonly #colour = new Uint32Array(SIDE ** 3);
  readonly #vertexOf = new Int16Array(CELLS ** 3);
  /** The addresses of the brick and those around it; -1 where there is none. */
  readonly #around = new Int32Array(27);
  readonly #corners = new Int32Array(4);
  readonly #sums = new Float64Array(9);
  readonly #net: Net;

  constructor(
    readonly volume: Volume,
    /** Voxels of less weight are unknown. */
    public least: number,
  ) {
    const most = CELLS ** 3;
    this.#net = {
      positions: new Float32Array(3 * most),
      normals: new Float32Array(3 * most),
      colours: new Float32Array(3 * most),
      weights: new Float32Array(most),
      cells: new Uint16Array(most),
      vertices: 0,
      faces: new Uint16Array(6 * 3 * EDGE ** 3),
      triangles: 0,
    };
  }

  /** The net of a brick. */
  of(brick: number): Net {
    const net = this.#net;
    net.vertices = 0;
    net.triangles = 0;
    if (!this.#gather(brick)) return net;
    const [bx, by, bz] = this.volume.bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    for (let z = 0, cell = 0; z < CELLS; z++) {
      for (let y = 0; y < CELLS; y++) {
        for (let x = 0; x < CELLS; x++, cell++) {
          const at = x + SIDE * y + SIDE * SIDE * z;
          this.#vertexOf[cell] = this.#place(at, cell, EDGE * bx + x - 1, EDGE * by + y - 1, EDGE * bz + z - 1);
        }
      }
    }
    if (net.vertices > 2) this.#connect();
    return net;
  }

  /** Copies the brick's voxels and those around it. Returns whether both signs occur. */
  #gather(brick: number): boolean {
    const { bricks, views } = this.volume;
    const { distances, weights, words } = views;
    const distance = this.#distance;
    const hasColour = bricks.bytes > COLOURS;
    const [bx, by, bz] = bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    for (let i = 0; i < 27; i++) {
      const found =
        i === OWN ? brick : bricks.find(bx + (i % 3) - 1, by + (Math.floor(i / 3) % 3) - 1, bz + Math.floor(i / 9) - 1);
      this.#around[i] = found < 0 ? -1 : bricks.at(found);
    }
    let [hasFree, hasSolid] = [false, false];
    for (let i = 0; i < SIDE ** 3; i++) {
      const at = this.#around[OF_BRICK[i]];
      distance[i] = Number.NaN;
      if (at < 0) continue;
      const voxel = OF_VOXEL[i];
      const weight = weights[((at + WEIGHTS) >> 1) + voxel];
      if (weight < this.least) continue;
      const d = distances[(at >> 1) + voxel];
      distance[i] = d;
      this.#weight[i] = weight;
      if (d < 0) hasSolid = true;
      else hasFree = true;
      if (hasColour) this.#colour[i] = words[((at + COLOURS) >> 2) + voxel];
    }
    return hasFree && hasSolid;
  }

  /** Makes the vertex of a cell, if the surface crosses it. Returns its number or -1. `at` is its first voxel. */
  #place(at: number, cell: number, x: number, y: number, z: number): number {
    const distance = this.#distance;
    let solid = 0;
    for (let i = 0; i < 8; i++) {
      const d = distance[at + CORNERS[i]];
      if (Number.isNaN(d)) return -1;
      if (d < 0) solid++;
    }
    if (solid === 0 || solid === 8) return -1;
    const net = this.#net;
    const to = 3 * net.vertices;
    const sum = this.#sums.fill(0);
    for (let edge = 0; edge < EDGES.length; edge += 2) this.#cross(at, EDGES[edge], EDGES[edge + 1]);
    net.positions[to] = x + sum[0] / sum[6];
    net.positions[to + 1] = y + sum[1] / sum[6];
    net.positions[to + 2] = z + sum[2] / sum[6];
    net.weights[net.vertices] = sum[8] / sum[6];
    for (let c = 0; c < 3; c++) net.colours[to + c] = sum[7] > 0 ? sum[3 + c] / sum[7] / 8 : 128;
    for (let axis = 0; axis < 3; axis++) {
      let slope = 0;
      for (let i = 0; i < 8; i++) slope += ((i >> axis) & 1 ? 1 : -1) * distance[at + CORNERS[i]];
      net.normals[to + axis] = slope / DISTANCE_UNITS;
    }
    const per = 1 / (Math.hypot(net.normals[to], net.normals[to + 1], net.normals[to + 2]) || 1);
    for (let axis = 0; axis < 3; axis++) net.normals[to + axis] *= per;
    net.cells[net.vertices] = cell;
    return net.vertices++;
  }

  /** Adds the crossing of a cell's edge, from corner `a` to `b`, to the sums of place, colour and weight. */
  #cross(at: number, a: number, b: number): void {
    const sum = this.#sums;
    const [i, j] = [at + CORNERS[a], at + CORNERS[b]];
    const from = this.#distance[i];
    const until = this.#distance[j];
    if (from < 0 === until < 0) return;
    const t = from / (from - until);
    for (let axis = 0; axis < 3; axis++) sum[axis] += ((a >> axis) & 1) + t * (((b ^ a) >> axis) & 1);
    sum[6]++;
    sum[8] += (this.#weight[i] + this.#weight[j]) / 2;
    // The colour of the crossing is that of the nearer voxel: the other one may have none.
    const word = this.#colour[t < 0.5 ? i : j];
    if (word === 0) return;
    sum[3] += word & 0x7ff;
    sum[4] += (word >>> 11) & 0x7ff;
    sum[5] += (word >>> 21) & 0x7fe;
    sum[7]++;
  }

  /** Makes the faces around the brick's edges. */
  #connect(): void {
    const distance = this.#distance;
    for (let z = 1; z <= EDGE; z++) {
      for (let y = 1; y <= EDGE; y++) {
        for (let x = 1; x <= EDGE; x++) {
          const at = x + SIDE * y + SIDE * SIDE * z;
          const d = distance[at];
          if (Number.isNaN(d)) continue;
          for (let axis = 0; axis < 3; axis++) {
            const next = distance[at + STRIDES[axis]];
            if (Number.isNaN(next) || next < 0 === d < 0) continue;
            this.#face(x + CELLS * y + CELLS * CELLS * z, axis, d < 0);
          }
        }
      }
    }
  }

  /** The face around the edge along `axis` from the first voxel of `cell`. */
  #face(cell: number, axis: number, isOutward: boolean): void {
    const u = CELL_STRIDES[(axis + 1) % 3];
    const v = CELL_STRIDES[(axis + 2) % 3];
    const corners = this.#corners;
    let count = 0;
    for (let i = 0; i < 4; i++) {
      // The four cells around the edge, in turn.
      const vertex = this.#vertexOf[cell - (i === 0 || i === 3 ? u : 0) - (i < 2 ? v : 0)];
      if (vertex >= 0) corners[count++] = vertex;
    }
    if (count < 3) return;
    if (isOutward) this.#triangle(corners[0], corners[1], corners[2]);
    else this.#triangle(corners[count - 1], corners[count - 2], corners[count - 3]);
    if (count < 4) return;
    if (isOutward) this.#triangle(corners[0], corners[2], corners[3]);
    else this.#triangle(corners[3], corners[1], corners[0]);
  }

  #triangle(a: number, b: number, c: number): void {
    const { faces } = this.#net;
    const to = 3 * this.#net.triangles++;
    faces[to] = a;
    faces[to + 1] = b;
    faces[to + 2] = c;
  }
}
