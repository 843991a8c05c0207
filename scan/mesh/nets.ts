import type { Views } from "../volume/integrate.ts";
import { COLOURS, EDGE, WEIGHTS } from "../volume/layout.ts";
import type { Volume } from "../volume/volume.ts";
import { ALL_CELLS, CELLS, SIDE, STEEPEST } from "./layout.ts";

/** The most vertices of a brick's net, and the most corners of its triangles. */
export const MOST_OF_BRICK = ALL_CELLS;
export const MOST_CORNERS = 6 * 3 * EDGE ** 3;
const CELL_STRIDES = [1, CELLS, CELLS * CELLS] as const;
/** Where a cell's eight corners lie among the samples: corner 1 is next to corner 0 across, corner 2 down and corner 4 along. */
const CORNERS = Int32Array.from({ length: 8 }, (_, i) => (i & 1) * 1 + ((i >> 1) & 1) * SIDE + (i >> 2) * SIDE * SIDE);
/** The edges of a cell that the surface crosses, as pairs of corners; the index has a bit for each solid corner. */
const CROSSED = Array.from({ length: 256 }, (_, solid) =>
  Uint8Array.from(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((a) =>
      [a | 1, a | 2, a | 4].filter((b) => b !== a && ((solid >> a) & 1) !== ((solid >> b) & 1)).flatMap((b) => [a, b]),
    ),
  ),
);
/** For each sample: which of the 27 bricks it lies in, and its voxel there. */
const OF_BRICK = new Uint8Array(SIDE ** 3);
const OF_VOXEL = new Uint16Array(SIDE ** 3);
for (let i = 0; i < SIDE ** 3; i++) {
  const places = [i % SIDE, Math.floor(i / SIDE) % SIDE, Math.floor(i / SIDE ** 2)];
  const [x, y, z] = places.map((place) => (place + 7) & 7);
  const [bx, by, bz] = places.map((place) => (place + 7) >> 3);
  OF_BRICK[i] = bx + 3 * by + 9 * bz;
  OF_VOXEL[i] = x + EDGE * y + EDGE * EDGE * z;
}
/** A brick's own bits in a row. */
const OWN_BITS = 0x1fe;

/** The part of a surface whose faces belong to one brick. Arrays are valid until the next one is made. */
interface Net {
  /** Positions in voxels from the world's origin, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals out of the surface, towards free space. */
  readonly normals: Float32Array;
  /** Red, green and blue, 0 … 255. */
  readonly colours: Float32Array;
  /** For each vertex the mean weight of the voxels around it. */
  readonly weights: Float32Array;
  /** For each vertex its cell, as x + 9 y + 81 z; cell (1, 1, 1) begins at the brick's first voxel. */
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
  /** For each row of samples along x two bit masks: the known samples, and the samples that are known and solid. */
  readonly #known = new Uint16Array(SIDE ** 2);
  readonly #solid = new Uint16Array(SIDE ** 2);
  readonly #vertexOf = new Int16Array(ALL_CELLS);
  /** The addresses of the brick and those around it; -1 where there is none. */
  readonly #around = new Int32Array(27);
  /** The first sample, in voxels. */
  readonly #origin = new Int32Array(3);
  /** The distances at a cell's corners, and the places of their voxels among all distances and among all colours. */
  readonly #distance = new Float64Array(8);
  readonly #voxel = new Int32Array(8);
  readonly #word = new Int32Array(8);
  readonly #hasColour: boolean;
  #views: Views;
  readonly #corners = new Int32Array(4);
  readonly #net: Net;

  constructor(
    readonly volume: Volume,
    /** Voxels of less weight are unknown. */
    readonly least: number,
  ) {
    this.#views = volume.views;
    this.#hasColour = volume.bricks.bytes > COLOURS;
    this.#net = {
      positions: new Float32Array(3 * MOST_OF_BRICK),
      normals: new Float32Array(3 * MOST_OF_BRICK),
      colours: new Float32Array(3 * MOST_OF_BRICK),
      weights: new Float32Array(MOST_OF_BRICK),
      cells: new Uint16Array(MOST_OF_BRICK),
      vertices: 0,
      faces: new Uint16Array(MOST_CORNERS),
      triangles: 0,
    };
  }

  /** The net of a brick. */
  of(brick: number): Net {
    const net = this.#net;
    net.vertices = 0;
    net.triangles = 0;
    if (!this.#gather(brick)) return net;
    this.#vertexOf.fill(-1);
    const [known, solid] = [this.#known, this.#solid];
    for (let z = 0; z < CELLS; z++) {
      for (let y = 0; y < CELLS; y++) {
        const row = y + SIDE * z;
        const a = solid[row];
        const b = solid[row + 1];
        const c = solid[row + SIDE];
        const d = solid[row + SIDE + 1];
        const some = a | b | c | d;
        const every = a & b & c & d;
        const seen = known[row] & known[row + 1] & known[row + SIDE] & known[row + SIDE + 1];
        let crossed = seen & (seen >> 1) & (some | (some >> 1)) & ~(every & (every >> 1));
        for (; crossed > 0; crossed &= crossed - 1) {
          const x = 31 - Math.clz32(crossed & -crossed);
          const corners = ((a >> x) & 3) | (((b >> x) & 3) << 2) | (((c >> x) & 3) << 4) | (((d >> x) & 3) << 6);
          this.#place(x, y, z, CROSSED[corners]);
        }
      }
    }
    if (net.vertices > 2) this.#connect();
    return net;
  }

  /** Finds the bricks around, and which samples are known and solid. Returns whether both signs occur. */
  #gather(brick: number): boolean {
    const { bricks, views } = this.volume;
    const around = this.#around;
    bricks.around(brick, around, 0);
    for (let axis = 0; axis < 3; axis++) this.#origin[axis] = EDGE * bricks.coordinates[3 * brick + axis] - 1;
    this.#views = views;
    let hasFree = 0;
    let hasSolid = 0;
    for (let row = 0; row < SIDE * SIDE; row++) {
      const sample = SIDE * row;
      const column = OF_BRICK[sample];
      this.#know(row, around[column], OF_VOXEL[sample], 0, 1);
      this.#know(row, around[column + 1], OF_VOXEL[sample + 1], 1, EDGE);
      this.#know(row, around[column + 2], OF_VOXEL[sample + SIDE - 1], SIDE - 1, 1);
      hasSolid |= this.#solid[row];
      hasFree |= this.#known[row] & ~this.#solid[row];
    }
    return hasFree > 0 && hasSolid > 0;
  }

  /** Finds which of `count` samples of a row, from the one at `x` on, are known and solid; `voxel` is the first one's in its brick. */
  #know(row: number, brick: number, voxel: number, x: number, count: number): void {
    let known = 0;
    let solid = 0;
    if (brick >= 0) {
      const { distances, weights } = this.#views;
      const { least } = this;
      const from = (brick >> 1) + voxel;
      for (let i = 0; i < count; i++) {
        if (weights[from + (WEIGHTS >> 1) + i] < least) continue;
        known |= 1 << i;
        if (distances[from + i] < 0) solid |= 1 << i;
      }
    }
    this.#known[row] = x === 0 ? known : this.#known[row] | (known << x);
    this.#solid[row] = x === 0 ? solid : this.#solid[row] | (solid << x);
  }

  /** Makes the vertex of a cell, the mean of the crossings of its edges, if the surface crosses any. */
  #place(cellX: number, cellY: number, cellZ: number, crossed: Uint8Array): void {
    const at = cellX + SIDE * cellY + SIDE * SIDE * cellZ;
    const { distances, weights, words } = this.#views;
    const d = this.#distance;
    const voxel = this.#voxel;
    const word = this.#word;
    const net = this.#net;
    const around = this.#around;
    const hasColour = this.#hasColour;
    for (let i = 0; i < 8; i++) {
      const sample = at + CORNERS[i];
      const brick = around[OF_BRICK[sample]];
      voxel[i] = (brick >> 1) + OF_VOXEL[sample];
      word[i] = ((brick + COLOURS) >> 2) + OF_VOXEL[sample];
      d[i] = distances[voxel[i]];
    }
    let x = 0;
    let y = 0;
    let z = 0;
    let weight = 0;
    let red = 0;
    let green = 0;
    let blue = 0;
    let coloured = 0;
    let count = 0;
    for (let edge = 0; edge < crossed.length; edge += 2) {
      const i = crossed[edge];
      const j = crossed[edge + 1];
      if (Math.abs(d[i] - d[j]) > STEEPEST) continue;
      count++;
      const t = d[i] / (d[i] - d[j]);
      x += (i & 1) + ((i ^ j) & 1) * t;
      y += ((i >> 1) & 1) + (((i ^ j) >> 1) & 1) * t;
      z += (i >> 2) + ((i ^ j) >> 2) * t;
      weight += weights[voxel[i] + (WEIGHTS >> 1)] + weights[voxel[j] + (WEIGHTS >> 1)];
      // The colour of the crossing is that of the nearer voxel: the other one may have none.
      const colour = hasColour ? words[word[t < 0.5 ? i : j]] : 0;
      if (colour === 0) continue;
      red += colour & 0x7ff;
      green += (colour >>> 11) & 0x7ff;
      blue += (colour >>> 21) & 0x7fe;
      coloured++;
    }
    if (count === 0) return;
    const to = 3 * net.vertices;
    const { positions, normals, colours } = net;
    positions[to] = this.#origin[0] + cellX + x / count;
    positions[to + 1] = this.#origin[1] + cellY + y / count;
    positions[to + 2] = this.#origin[2] + cellZ + z / count;
    net.weights[net.vertices] = weight / (2 * count);
    colours[to] = coloured > 0 ? red / coloured / 8 : 128;
    colours[to + 1] = coloured > 0 ? green / coloured / 8 : 128;
    colours[to + 2] = coloured > 0 ? blue / coloured / 8 : 128;
    const nx = d[1] - d[0] + d[3] - d[2] + d[5] - d[4] + d[7] - d[6];
    const ny = d[2] - d[0] + d[3] - d[1] + d[6] - d[4] + d[7] - d[5];
    const nz = d[4] - d[0] + d[5] - d[1] + d[6] - d[2] + d[7] - d[3];
    const per = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
    normals[to] = nx * per;
    normals[to + 1] = ny * per;
    normals[to + 2] = nz * per;
    const cell = cellX + CELLS * cellY + CELLS * CELLS * cellZ;
    net.cells[net.vertices] = cell;
    this.#vertexOf[cell] = net.vertices++;
  }

  /** Makes the faces around the brick's edges. */
  #connect(): void {
    const [known, solid] = [this.#known, this.#solid];
    for (let z = 1; z <= EDGE; z++) {
      for (let y = 1; y <= EDGE; y++) {
        const row = y + SIDE * z;
        for (let axis = 0; axis < 3; axis++) {
          const next = row + (axis === 1 ? 1 : axis === 2 ? SIDE : 0);
          const shift = axis === 0 ? 1 : 0;
          let crossed = OWN_BITS & known[row] & (known[next] >> shift) & (solid[row] ^ (solid[next] >> shift));
          for (; crossed > 0; crossed &= crossed - 1) {
            const x = 31 - Math.clz32(crossed & -crossed);
            const first = this.#distanceAt(x + SIDE * row);
            if (Math.abs(first - this.#distanceAt(x + shift + SIDE * next)) > STEEPEST) continue;
            this.#face(x + CELLS * y + CELLS * CELLS * z, axis, first < 0);
          }
        }
      }
    }
  }

  #distanceAt(sample: number): number {
    return this.#views.distances[(this.#around[OF_BRICK[sample]] >> 1) + OF_VOXEL[sample]];
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
