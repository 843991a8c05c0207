import { MOST_WEIGHT, PIXEL_WEIGHT } from "../volume/layout.ts";
import type { Volume } from "../volume/volume.ts";
import type { CubeMaker, CubeMesh } from "./cube.ts";

/** The parts of a volume that tell how the volume has grown. */
export interface Grown extends Pick<Volume, "changed" | "frames"> {
  readonly bricks: Pick<Volume["bricks"], "count" | "coordinates">;
}

/** The surface in a cube of 4³ bricks. */
export interface Chunk extends CubeMesh {
  /** Tells the cube. */
  readonly key: number;
}

/**
 * One more frame hardly moves the mean of many frames. So a cube looks different when its mesh lacks `LEAST` frames, plus one for every
 * `NOTICED` frames that the mesh has; at most `MOST` of these count, since weights stop growing there.
 */
const LEAST = 4;
const NOTICED = 2;
const MOST = MOST_WEIGHT / PIXEL_WEIGHT;
/** Cubes count from -HALF to HALF along an axis. */
const HALF = 2 ** 15;

/**
 * The mesh of a volume that grows, in cubes of which only those that changed are made anew. Two cubes do not share vertices. While one of
 * two neighbours waits for its turn, a crack may show between them.
 */
export class Chunks {
  /** The bricks of each cube. */
  readonly #bricks = new Map<number, number[]>();
  /** For each cube that has a mesh, by the cube's key: how many frames the mesh is made of. */
  readonly #made = new Map<number, number>();
  /** The cubes whose mesh is out of date, and how many frames the mesh lacks; in the order in which their bricks changed. */
  readonly #waiting = new Map<number, number>();
  /** The waiting cubes that look noticeably different by now. */
  readonly #due = new Set<number>();
  readonly #touched = new Set<number>();
  readonly #stale: ReadonlySet<number>;
  #known = 0;
  #frame = 0;

  constructor(
    readonly volume: Grown,
    readonly cubes: CubeMaker,
    /** The mesh that this one takes the place of: cubes that only it has are made once more, empty. */
    before?: Chunks,
  ) {
    this.#stale = new Set(before && [...before.#bricks.keys(), ...before.#waiting.keys()]);
    for (const key of this.#stale) this.#wait(key);
  }

  /** How many cubes wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Finds the bricks that frames have changed since the last call; with `isMuch` only those that changed enough to look different. */
  update(isMuch = false): void {
    const { bricks, changed, frames } = this.volume;
    for (; this.#known < bricks.count; this.#known++) {
      const key = this.#keyOf(this.#known, 0);
      const list = this.#bricks.get(key);
      if (list) list.push(this.#known);
      else this.#bricks.set(key, [this.#known]);
    }
    // The faces of a brick's border depend on its neighbours on all sides, which may lie in other cubes.
    for (let brick = 0; brick < bricks.count; brick++) {
      if (changed[brick] <= this.#frame) continue;
      const borders = [0, 1, 2].reduce(
        (all, axis) => all | (+(((bricks.coordinates[3 * brick + axis] + 1) & 3) < 2) << axis),
        0,
      );
      for (let side = 0; side <= borders; side++)
        if ((side & borders) === side) this.#touched.add(this.#keyOf(brick, side));
    }
    for (const key of this.#touched) this.#wait(key, isMuch);
    this.#touched.clear();
    this.#frame = frames;
  }

  /** Makes a few waiting cubes: first those that look different (with `onlyDue` no others), then those that have waited longest. */
  async next(onlyDue = false): Promise<Chunk[]> {
    const keys: number[] = [];
    while (keys.length < this.cubes.most && (this.#due.size > 0 || (!onlyDue && this.#waiting.size > 0))) {
      const [key] = this.#due.size > 0 ? this.#due : this.#waiting.keys();
      this.#made.set(key, (this.#made.get(key) ?? 0) + (this.#waiting.get(key) ?? 0));
      this.#waiting.delete(key);
      this.#due.delete(key);
      if (this.#bricks.has(key) || this.#stale.has(key)) keys.push(key);
    }
    const parts = await this.cubes.of(keys.map((key) => this.#bricks.get(key) ?? []));
    return parts.flatMap((part, i) => (part ? { key: keys[i], ...part } : []));
  }

  /** A frame has changed a cube. */
  #wait(key: number, isMuch = false): void {
    const lacking = (this.#waiting.get(key) ?? 0) + 1;
    const made = this.#made.get(key) ?? 0;
    this.#waiting.set(key, lacking);
    if (isMuch || made === 0 || (lacking >= LEAST && lacking * NOTICED >= Math.min(made, MOST))) this.#due.add(key);
  }

  /** The number of a brick's cube, or of the cube beside it on the axes that are bits of `side`, at whose border the brick has to lie. */
  #keyOf(brick: number, side: number): number {
    const { coordinates } = this.volume.bricks;
    const at = (axis: number) => {
      const place = coordinates[3 * brick + axis];
      return HALF + ((place + ((side >> axis) & 1) * ((place & 3) === 0 ? -1 : 1)) >> 2);
    };
    return at(0) + 2 * HALF * (at(1) + 2 * HALF * at(2));
  }
}
