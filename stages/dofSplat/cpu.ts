import { OptionError } from "../../core/check.ts";
import type { FrameShape } from "../../core/frame.ts";
import { watchChanges } from "../core/parameters.ts";
import type { CpuFrame, CpuPicture, Twin } from "../core/stage.ts";
import { accumulate, clear, develop, edgesOf, newFilm, type Tile } from "./accumulate.ts";
import { cameraOf, filmOf, twinCamera } from "./camera.ts";
import { CPU_TILE } from "./layout.ts";
import { count, newLists, order, scan, scatter } from "./lists.ts";
import type { Parameters } from "./parameters.ts";
import { newSplats, projection } from "./project.ts";
import { newPosition } from "./runs.ts";

/**
 * The most list entries that `points` splats can ask for. A splat reaches `maxReachPx` to each side, so with tiles of 16 px it touches at
 * most ⌈2·reach/16⌉ + 1 tiles in a row (25 tiles and 200 bytes for a point by default), and no more tiles than there are.
 */
export function listBound(points: number, tiles: number, maxReachPx: number, tile = 16): number {
  const across = Math.ceil((2 * maxReachPx) / tile) + 1;
  return points * Math.min(tiles, across * across);
}

/** The sizes of what the twin and its fast form allocate: points, columns of tiles, tiles, and entries of the tiles' lists. */
export function sizesOf(shape: FrameShape, { width, height, maxReachPx }: Parameters) {
  const capacity = shape.intrinsics.width * shape.intrinsics.height;
  const columns = Math.ceil(width / CPU_TILE);
  const tiles = columns * Math.ceil(height / CPU_TILE);
  const entries = listBound(capacity, tiles, maxReachPx, CPU_TILE);
  return { capacity, columns, tiles, entries };
}

/**
 * Returns a function that gives the values which the twin and its fast form compute from the parameters; it computes them anew when a
 * parameter has changed.
 */
export function opticsOf(shape: FrameShape, parameters: Parameters) {
  const haveChanged = watchChanges(parameters);
  const compute = () => {
    const camera = cameraOf(shape, parameters);
    const edges = edgesOf(parameters.blades);
    return { edges, camera: twinCamera(camera, parameters), film: filmOf(parameters, camera) };
  };
  let optics: ReturnType<typeof compute> | undefined;
  return () => {
    if (haveChanged() || !optics) optics = compute();
    return optics;
  };
}

/** The error of a pipeline in which no stage before dofSplat makes points. */
export const withoutPoints = () => new OptionError("dofSplat needs points: put compact before it");

/** The points of a frame. Throws an `OptionError` if the frame has none, and an error if there are more than `capacity`. */
export function pointsOf({ points }: Pick<CpuFrame, "points">, capacity: number) {
  if (!points) throw withoutPoints();
  if (points.count > capacity) throw new Error(`dofSplat has room for ${capacity} points, not ${points.count}`);
  return points;
}

/**
 * The twin of the kernels in shaders/dofSplat, whose comments explain the method. How the kernels' workgroups share the work is their
 * schedule: the twin takes one point, one tile and one splat after the other.
 *
 *   shaders/dofSplat/          here                     its fast form, in assembly/
 *   project                    project.ts               splat.ts, after its splats
 *     runs, blocks             runs.ts, blocks.ts       runs.ts, blocks.ts
 *     patch                    patch.ts                 moves.ts, patch.ts, splat.ts
 *   scan, scatter, order       lists.ts                 lists.ts
 *   accumulate                 accumulate.ts            accumulate.ts, develop.ts
 *   srgb                       light.ts
 */
export function dofSplatTwin(shape: FrameShape, parameters: Parameters): Twin {
  const { width, height } = parameters;
  const { capacity, columns, tiles, entries } = sizesOf(shape, parameters);
  const splats = newSplats(capacity);
  const project = projection(splats);
  const place = newPosition();
  const lists = newLists(columns, tiles, entries);
  const film = newFilm();
  const rgba = new Uint8ClampedArray(width * height * 4);
  const picture: CpuPicture = { width, height, rgba, depth: new Float32Array(width * height) };
  const tile: Tile = { left: 0, top: 0, right: 0, bottom: 0 };
  const optics = opticsOf(shape, parameters);
  return {
    run(frame) {
      const points = pointsOf(frame, capacity);
      const { edges, camera, film: light } = optics();
      film.edges = edges;
      project({ points, depth: frame.shown ?? frame.depth, camera, place });
      count(splats, lists);
      scan(lists);
      scatter(splats, lists);
      for (let t = 0; t < tiles; t++) {
        tile.left = (t % columns) * CPU_TILE;
        tile.top = Math.floor(t / columns) * CPU_TILE;
        tile.right = Math.min(tile.left + CPU_TILE, width) - 1;
        tile.bottom = Math.min(tile.top + CPU_TILE, height) - 1;
        clear(film, tile);
        accumulate(splats, order(lists.codes.subarray(lists.starts[t], lists.starts[t + 1])), tile, film);
        develop(film, tile, light, picture);
      }
      frame.picture = picture;
    },
  };
}
