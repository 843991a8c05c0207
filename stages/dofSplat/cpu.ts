import { OptionError } from "../../sources/core/check.ts";
import type { FrameShape } from "../../sources/core/frame.ts";
import type { CpuFrame, CpuPicture, Twin } from "../core/stage.ts";
import { accumulate, clear, develop, edgesOf, newFilm, type Tile } from "./accumulate.ts";
import { cameraOf, filmOf, listBound, type Parameters } from "./camera.ts";
import { TILE, VIEW_NUMBERS } from "./layout.ts";
import { newSplats, project } from "./project.ts";
import { gather, measure, newRuns } from "./runs.ts";
import { newListing } from "./scatter.ts";
import { writeView } from "./view.ts";

/** How a picture and its frame's points are cut up, for the twin and its WebAssembly. */
export function roomOf(shape: FrameShape, { width, height, maxReachPx }: Parameters) {
  const capacity = shape.intrinsics.width * shape.intrinsics.height;
  const columns = Math.ceil(width / TILE);
  const tiles = columns * Math.ceil(height / TILE);
  const entries = listBound(capacity, tiles, maxReachPx, TILE);
  return { capacity, columns, tiles, entries };
}

/** The pipeline's list of stages has dofSplat where no stage before it makes points. */
export const withoutPoints = () => new OptionError("dofSplat needs points: put compact before it");

/** The points of a frame, where there are any and not too many. Throws an `OptionError` where there are none. */
export function pointsOf({ points }: Pick<CpuFrame, "points">, capacity: number) {
  if (!points) throw withoutPoints();
  if (points.count > capacity) throw new Error(`dofSplat has room for ${capacity} points, not ${points.count}`);
  return points;
}

/**
 * The stage on the CPU. The kernels' batches, and how they share a tile, are their schedule: here a tile's splats are in the order of
 * (distance, index) and laid down one after the other.
 */
export function dofSplatTwin(shape: FrameShape, parameters: Parameters): Twin {
  const { width, height, maxReachPx } = parameters;
  const { capacity, columns, tiles, entries } = roomOf(shape, parameters);
  const view = new Float32Array(VIEW_NUMBERS);
  const runs = newRuns(capacity);
  const splats = newSplats(capacity);
  const { lists, make } = newListing(capacity, tiles, entries, columns);
  const film = newFilm();
  const rgba = new Uint8ClampedArray(width * height * 4);
  const picture: CpuPicture = { width, height, rgba, depth: new Float32Array(width * height) };
  const tile: Tile = { left: 0, top: 0, right: 0, bottom: 0 };
  return {
    run(frame) {
      const points = pointsOf(frame, capacity);
      const edges = edgesOf(parameters.blades);
      const camera = cameraOf(shape, parameters);
      const lit = filmOf(parameters, camera);
      writeView(view, camera, picture, maxReachPx);
      measure(points, view, runs);
      make(splats, project(frame.depth, gather(points, view, camera.thinning, runs), runs, view, splats));
      for (let t = 0; t < tiles; t++) {
        tile.left = (t % columns) * TILE;
        tile.top = Math.floor(t / columns) * TILE;
        tile.right = Math.min(tile.left + TILE, width) - 1;
        tile.bottom = Math.min(tile.top + TILE, height) - 1;
        clear(film, tile);
        accumulate(splats, lists.list.subarray(lists.starts[t], lists.starts[t + 1]), edges, tile, film);
        develop(film, tile, lit, picture);
      }
      frame.picture = picture;
    },
  };
}
