import { COLOURS, DISTANCE_UNITS, EDGE, WEIGHTS } from "../volume/layout.ts";
import type { Volume } from "../volume/volume.ts";

/** Samples along an edge of a brick and its borders: one voxel before the brick and one behind it. */
const SIDE = EDGE + 2;
/** Cells along an edge: those of the brick and those before it, which faces on the brick's border need. */
const CELLS = EDGE + 1;
const STRIDES = [1, SIDE, SIDE * SIDE] as const;
const CELL_STRIDES = [1, CELLS, CELLS * CELLS] as const;
/** The eight corners of a cell, and the twelve pairs of them that are its edges. */
const CORNERS = Array.from({ length: 8 }, (_, i) => (i & 1) * 1 + ((i >> 1) & 1) * SIDE + (i >> 2) * SIDE * SIDE);
const EDGES = CORNERS.flatMap((_, a) =>
  [1, 2, 4].filter((axis) => (a & axis) === 0).map((axis) => [a, a | axis] as const),
);

/** The part of a surface whose faces belong to one brick. Arrays are valid until the next one is made. */
export interface Net {
  /** Positions in voxels from the world's origin, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals out of the surface, towards free space. */
  readonly normals: Float32Array;
  /** Red, green and blue, 0 … 255. */
  readonly colours: Float32Array;
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
  readonly #distance = new Float32Array(SIDE ** 3);
  /** The voxels' colours; weight 0 voxels have NaN distance. */
  readonly #colour = new Uint32Array(SIDE ** 3);
  readonly #vertexOf = new Int16Array(CELLS ** 3);
  readonly #net: Net;

  constructor(
    readonly volume: Volume,
    /** Voxels of less weight are unknown. */
    readonly least: number,
  ) {
    const most = CELLS ** 3;
    this.#net = {
      positions: new Float32Array(3 * most),
      normals: new Float32Array(3 * most),
      colours: new Float32Array(3 * most),
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
    const distance = this.#distance;
    const hasColour = bricks.bytes > COLOURS;
    const [bx, by, bz] = bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    let [hasFree, hasSolid] = [false, false];
    for (let k = -1; k <= 1; k++) {
      for (let j = -1; j <= 1; j++) {
        for (let i = -1; i <= 1; i++) {
          const from = i === 0 && j === 0 && k === 0 ? brick : bricks.find(bx + i, by + j, bz + k);
          const [x0, x1, y0, y1, z0, z1] = [...range(i), ...range(j), ...range(k)];
          for (let z = z0; z < z1; z++) {
            for (let y = y0; y < y1; y++) {
              for (let x = x0; x < x1; x++) {
                const to = x + SIDE * (y + SIDE * z);
                distance[to] = Number.NaN;
                if (from < 0) continue;
                const voxel = ((x + 7) & 7) + EDGE * ((y + 7) & 7) + EDGE * EDGE * ((z + 7) & 7);
                const at = bricks.at(from);
                if (views.weights[((at + WEIGHTS) >> 1) + voxel] < this.least) continue;
                const d = views.distances[(at >> 1) + voxel];
                distance[to] = d;
                if (d < 0) hasSolid = true;
                else hasFree = true;
                if (hasColour) this.#colour[to] = views.words[((at + COLOURS) >> 2) + voxel];
              }
            }
          }
        }
      }
    }
    return hasFree && hasSolid;
  }

  /** Makes the vertex of a cell, if the surface crosses it. Returns its number or -1. `at` is its first voxel. */
  #place(at: number, cell: number, x: number, y: number, z: number): number {
    const distance = this.#distance;
    let solid = 0;
    for (const corner of CORNERS) {
      const d = distance[at + corner];
      if (Number.isNaN(d)) return -1;
      if (d < 0) solid++;
    }
    if (solid === 0 || solid === 8) return -1;
    const net = this.#net;
    const to = 3 * net.vertices;
    const sum = [0, 0, 0, 0, 0, 0, 0, 0];
    for (const [a, b] of EDGES) {
      const [from, until] = [distance[at + CORNERS[a]], distance[at + CORNERS[b]]];
      if (from < 0 === until < 0) continue;
      const t = from / (from - until);
      for (let axis = 0; axis < 3; axis++) sum[axis] += ((a >> axis) & 1) + t * (((b ^ a) >> axis) & 1);
      sum[6]++;
      // The colour of the crossing is that of the nearer voxel: the other one may have none.
      const word = this.#colour[at + CORNERS[t < 0.5 ? a : b]];
      if (word === 0) continue;
      sum[3] += word & 0x7ff;
      sum[4] += (word >>> 11) & 0x7ff;
      sum[5] += (word >>> 21) & 0x7fe;
      sum[7]++;
    }
    net.positions[to] = x + sum[0] / sum[6];
    net.positions[to + 1] = y + sum[1] / sum[6];
    net.positions[to + 2] = z + sum[2] / sum[6];
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

  /** Makes the faces around the brick's edges. */
  #connect(): void {
    const distance = this.#distance;
    for (let z = 1; z <= EDGE; z++) {
      for (let y = 1; y <= EDGE; y++) {
        for (let x = 1; x <= EDGE; x++) {
          const at = x + SIDE * y + SIDE * SIDE * z;
          if (Number.isNaN(distance[at])) continue;
          for (let axis = 0; axis < 3; axis++) {
            const next = distance[at + STRIDES[axis]];
            if (Number.isNaN(next) || next < 0 === distance[at] < 0) continue;
            this.#face(x + CELLS * y + CELLS * CELLS * z, axis, distance[at] < 0);
          }
        }
      }
    }
  }

  /** The face around the edge along `axis` from the first voxel of `cell`. */
  #face(cell: number, axis: number, isOutward: boolean): void {
    const [u, v] = [CELL_STRIDES[(axis + 1) % 3], CELL_STRIDES[(axis + 2) % 3]];
    const around = [cell - u - v, cell - v, cell, cell - u];
    const corners = around.map((each) => this.#vertexOf[each]).filter((vertex) => vertex >= 0);
    if (!isOutward) corners.reverse();
    const [a, b, c, d] = corners;
    if (corners.length < 3) return;
    this.#triangle(a, b, c);
    if (corners.length === 4) this.#triangle(a, c, d);
  }

  #triangle(a: number, b: number, c: number): void {
    const { faces } = this.#net;
    const to = 3 * this.#net.triangles++;
    faces[to] = a;
    faces[to + 1] = b;
    faces[to + 2] = c;
  }
}

/** The samples, of 0 to 9, that lie in the brick at this step from the middle one. */
const range = (step: number): [number, number] => (step < 0 ? [0, 1] : step > 0 ? [SIDE - 1, SIDE] : [1, SIDE - 1]);
