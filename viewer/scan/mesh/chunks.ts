import { MOST_WEIGHT, PIXEL_WEIGHT } from "../volume/layout.ts";
import { KNOWN, type Volume } from "../volume/volume.ts";
import { MOST_CORNERS, MOST_VERTICES, Nets } from "./nets.ts";

/** The surface in a cube of 4³ bricks, to be drawn. */
export interface Chunk {
  /** Tells the cube. */
  readonly key: number;
  /** Metres, three numbers for each vertex. */
  readonly positions: Float32Array;
  /** Unit normals times 127, towards free space; four numbers for each vertex, the fourth 0. */
  readonly normals: Int8Array;
  /** Red, green, blue, and how well the surface was seen: 255 from `WELL` on. Four numbers for each vertex. */
  readonly colours: Uint8Array;
  /** Three vertices for each triangle; none where the surface is gone. */
  readonly indices: Uint32Array;
}

/** A surface of this weight is seen well: eight frames from the front, close by, or forty from 3 m. */
const WELL = 256 * 8;
/**
 * One more frame moves the mean of many by little: a cube looks different when its mesh lacks `LEAST` frames, and one for each `NOTICED`
 * that it has, of which `MOST` count, since weights stop growing there.
 */
const [LEAST, NOTICED, MOST] = [4, 2, MOST_WEIGHT / PIXEL_WEIGHT];
/** The bricks of a cube. */
const BRICKS = 64;
/** Cubes count from -HALF to HALF along an axis. */
const HALF = 2 ** 15;

/**
 * The mesh of a volume that grows, in cubes of which only those that changed are made anew. Two cubes do not share vertices. While one of
 * two neighbours waits for its turn, a crack may show between them.
 */
export class Chunks {
  readonly #nets: Nets;
  /** The bricks of each cube. */
  readonly #bricks = new Map<number, number[]>();
  /** By a cube's key: how many frames its mesh has, if it has one. */
  readonly #made = new Map<number, number>();
  /** The cubes whose mesh is out of date, and how many frames that lacks; in the order in which their bricks changed. */
  readonly #waiting = new Map<number, number>();
  /** Those of them that look noticeably different by now. */
  readonly #due = new Set<number>();
  readonly #touched = new Set<number>();
  /** Where a cube's mesh is made. */
  readonly #room = {
    positions: new Float32Array(3 * BRICKS * MOST_VERTICES),
    normals: new Int8Array(4 * BRICKS * MOST_VERTICES),
    colours: new Uint8Array(4 * BRICKS * MOST_VERTICES),
    indices: new Uint32Array(BRICKS * MOST_CORNERS),
  };
  readonly #stale: ReadonlySet<number>;
  #known = 0;
  #frame = 0;

  constructor(
    readonly volume: Volume,
    /** The mesh that this one takes the place of: cubes that only it has are made once more, empty. */
    before?: Chunks,
  ) {
    this.#nets = new Nets(volume, KNOWN);
    this.#stale = new Set(before && [...before.#bricks.keys(), ...before.#waiting.keys()]);
    for (const key of this.#stale) this.#wait(key);
  }

  /** How many cubes wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Finds the bricks that frames have changed since the last call; `isMuch`: so much that these look different. */
  update(isMuch = false): void {
    const { bricks, changed, frames } = this.volume;
    for (; this.#known < bricks.count; this.#known++) {
      const key = this.#keyOf(this.#known, 0);
      const list = this.#bricks.get(key);
      if (list) list.push(this.#known);
      else this.#bricks.set(key, [this.#known]);
    }
    // The faces of a brick's border depend on its neighbours, which may lie in the next cubes.
    for (let brick = 0; brick < bricks.count; brick++) {
      if (changed[brick] <= this.#frame) continue;
      const first = [0, 1, 2].reduce(
        (all, axis) => all | (+((bricks.coordinates[3 * brick + axis] & 3) === 0) << axis),
        0,
      );
      for (let side = 0; side <= first; side++)
        if ((side & first) === side) this.#touched.add(this.#keyOf(brick, side));
    }
    for (const key of this.#touched) this.#wait(key, isMuch);
    this.#touched.clear();
    this.#frame = frames;
  }

  /** Makes the cube that has waited longest, one of those first that look different. `undefined` where none waits, or no such one. */
  next(onlyDue = false): Chunk | undefined {
    while (this.#due.size > 0 || (!onlyDue && this.#waiting.size > 0)) {
      const [key] = this.#due.size > 0 ? this.#due : this.#waiting.keys();
      this.#made.set(key, (this.#made.get(key) ?? 0) + (this.#waiting.get(key) ?? 0));
      this.#waiting.delete(key);
      this.#due.delete(key);
      const bricks = this.#bricks.get(key);
      if (bricks || this.#stale.has(key)) return this.#make(key, bricks ?? []);
    }
    return undefined;
  }

  /** A frame has changed a cube. */
  #wait(key: number, isMuch = false): void {
    const lacking = (this.#waiting.get(key) ?? 0) + 1;
    const made = this.#made.get(key) ?? 0;
    this.#waiting.set(key, lacking);
    if (isMuch || made === 0 || (lacking >= LEAST && lacking * NOTICED >= Math.min(made, MOST))) this.#due.add(key);
  }

  /** The number of a brick's cube, or of the cube one brick before it on the axes that are bits of `side`. */
  #keyOf(brick: number, side: number): number {
    const { coordinates } = this.volume.bricks;
    const at = (axis: number) => HALF + ((coordinates[3 * brick + axis] - ((side >> axis) & 1)) >> 2);
    return at(0) + 2 * HALF * (at(1) + 2 * HALF * at(2));
  }

  #make(key: number, bricks: readonly number[]): Chunk {
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
      ...{ key, positions: positions.slice(0, 3 * vertices), normals: normals.slice(0, 4 * vertices) },
      ...{ colours: colours.slice(0, 4 * vertices), indices: indices.slice(0, corners) },
    };
  }
}
