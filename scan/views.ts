import { type DepthFrame, sameLens } from "../core/frame.ts";
import type { Rigid } from "../core/pose.ts";
import { SourceError } from "../core/source.ts";
import { describe, Folder } from "../write/folder.ts";
import { meaning } from "../write/frames.ts";
import { colorPng, depthPng } from "../write/png.ts";
import { inUnits } from "../write/units.ts";
import { type Seeds, type ViewFormat, viewFiles } from "../write/views.ts";
import type { Mesh } from "./mesh/mesh.ts";
import type { Place, Placer } from "./place/placer.ts";
import { shiftM } from "./place/way.ts";

/**
 * A view is kept if it is this far from all views before, m: the distance between the places where both put a point 2 m before the camera.
 */
const APART_M = 0.06;
/** The most views and points that are written: programs that make splats need no more to begin with. */
const MOST_VIEWS = 1000;
const MOST_SEEDS = 100_000;
const MM = 0.001;
const NO_SEEDS = { positions: new Float32Array(0), colours: new Uint8Array(0) };
/** Colour may begin after this many frames: a stream's first ones have no partner in time. */
const LATEST = 30;

/** Writes pictures of a scan, with their depth and places, for programs that make splats or photogrammetry. */
export class Views {
  readonly #taken: { readonly name: string; readonly place: Place; readonly at: Rigid }[] = [];
  #lens: DepthFrame["intrinsics"] | undefined;
  /** Frames that would have been views, but that the folder has no room for: it holds `MOST_VIEWS`, of one lens. */
  left = 0;
  /** Frames that would have been views, but have no colour. */
  colourless = 0;

  private constructor(
    readonly folder: Folder,
    readonly format: ViewFormat,
  ) {}

  /** Makes the folder. Throws a `SourceError` where a folder of that name has contents. */
  static async create(path: string, format: ViewFormat): Promise<Views> {
    return new Views(await Folder.create(path), format);
  }

  /** Forgets the views, because the run begins again: their files are written over. */
  clear(): void {
    this.#taken.length = this.left = this.colourless = 0;
  }

  /** How many views there are. */
  get count(): number {
    return this.#taken.length;
  }

  /** Takes a frame that shows what no view before does. Throws a `SourceError` where the first frames have no colour. */
  async add(frame: DepthFrame, place: Place, at: Rigid): Promise<void> {
    const { color, intrinsics } = frame;
    if (this.#taken.some((view) => shiftM(view.at, at) < APART_M)) return;
    if (!color) {
      if (++this.colourless > LATEST && this.count === 0) this.#refuse();
      return;
    }
    // A lens that the format does not know is refused before there is anything to lose.
    if (!this.#lens) viewFiles(this.format, intrinsics, [], NO_SEEDS);
    this.#lens ??= intrinsics;
    if (this.#taken.length === MOST_VIEWS || !sameLens(this.#lens, intrinsics)) {
      this.left++;
      return;
    }
    const name = String(this.#taken.length).padStart(6, "0");
    this.#taken.push({ name, place, at: at.slice() });
    const depth = inUnits(frame, MM);
    await this.folder.write(`images/${name}.png`, await colorPng(color, { alpha: true }));
    await this.folder.write(`depth/${name}.png`, await depthPng(depth));
  }

  #refuse(): never {
    throw new SourceError(
      `the frames have no colour, and ${this.format} begins with colour images: record in colour, registered to depth`,
    );
  }

  /** Writes where the views were by all that is known at the end, and points of the mesh. */
  async finish(placer: Pick<Placer, "poseOf">, mesh: Mesh, fps: number): Promise<void> {
    if (!this.#lens) return this.colourless > 0 ? this.#refuse() : undefined;
    const views = this.#taken.map(({ name, place }) => ({ name, toWorld: placer.poseOf(place) }));
    const files = viewFiles(this.format, this.#lens, views, seedsOf(mesh));
    for (const [name, text] of files) await this.folder.write(name, text);
    const images = { depth: "depth/*.png", color: "images/*.png", registered: true };
    await describe(this.folder, { ...images, ...meaning(fps, this.#lens, MM) });
  }
}

/** Every n-th vertex of the mesh. */
function seedsOf({ positions, colours }: Mesh): Seeds {
  const every = Math.max(1, Math.ceil(positions.length / 3 / MOST_SEEDS));
  const isTaken = (_: number, i: number) => Math.floor(i / 3) % every === 0;
  return { positions: positions.filter(isTaken), colours: colours.filter(isTaken) };
}
