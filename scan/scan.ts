import { counted } from "../core/check.ts";
import { countValid } from "../core/frame.ts";
import type { ChosenStages } from "../run/replay/settings.ts";
import { Interrupted } from "../run/report/failure.ts";
import type { RunListener } from "../run/request.ts";
import { firstLook, run } from "../run/run.ts";
import { isRecording, type Source, SourceError } from "../sources/index.ts";
import { registry } from "../stages/registry.ts";
import { Growth } from "./growth.ts";
import type { Scan, ScanRequest } from "./keep.ts";
import { finished } from "./mesh/finish.ts";
import { seenShareOf } from "./mesh/seen.ts";
import { turntableOf } from "./turntable/turntable.ts";
import { isFarOff } from "./volume/volumeFor.ts";

/** The most triangles of a mesh if the request names no number: a page, a phone and every modelling program open that many. */
export const MOST_TRIANGLES = 500_000;

/** An image with depth in a smaller share of its pixels shows hardly a surface. */
const SPARSE = 0.2;
const UNBEGUN = "interrupted before the first frame was done";

/** The stages, with a first one that cuts depth beyond `farM`, so that `track` does not use that depth; without `farM` unchanged. */
export function upTo(farM: number | undefined, chosen: ChosenStages): ChosenStages {
  const cut = registry.get("threshold");
  if (farM === undefined || !cut || chosen.stages.some(({ name }) => name === "threshold")) return chosen;
  return { ...chosen, stages: [cut({ minM: 0, maxM: farM }), ...chosen.stages] };
}

/**
 * Runs a source's frames through the filters and `track`, adds them to a volume, and makes a mesh of that. Where loops moved the camera, a
 * recording's frames are added anew, from the right places; a stream's are not, and a warning says so. The same recording gives the same
 * mesh on the same device. If the thing stands on a turntable, the camera's way around the thing is found first. Throws what `run` throws
 * where it cannot begin.
 */
export async function scanSource(source: Source, request: ScanRequest, listener: RunListener): Promise<Scan> {
  if (!request.turntable) return scanAround(source, request, listener);
  if (!isRecording(source))
    throw new SourceError(
      `${source.name}: a turntable is scanned from a recording, which is read twice: record the stream, and scan the recording`,
    );
  const { recording, turned, reachM } = await turntableOf(source, request, listener);
  // Only the thing has depth, however wide the pixels are there.
  const scan = await scanAround(recording, { ...request, isPosed: true, farM: request.farM ?? reachM }, listener);
  return { ...scan, astrayM: 0, turned, seenShare: seenShareOf(scan.mesh) };
}

async function scanAround(source: Source, request: ScanRequest, listener: RunListener): Promise<Scan> {
  const look = await firstLook(source, request.chosen, listener);
  const { before, keep, start = 0 } = request;
  const grow = async (growth: Growth, frames: number | undefined) => {
    const { from } = growth;
    const part = { start: start + from, frames: frames === undefined ? undefined : frames - from, first: look };
    const progress = (done: number, of: number) => listener.progress(from + done, from + of);
    const { error } = await run(source, { ...request, ...part }, { ...listener, progress }, () => ({ output: growth }));
    growth.volume?.destroy();
    if (!listener.stop.aborted || !keep || !isRecording(source)) return error;
    await growth.keep();
    throw error ?? new Interrupted(UNBEGUN);
  };
  const given = before?.midway.found;
  const first = given ? undefined : new Growth(request, look, listener, undefined, before);
  let error = first && (await grow(first, request.frames));
  const isOff = first !== undefined && isFarOff(first.offM, request);
  const found = given ?? first?.found(isOff);
  if (!found) throw error;
  const { used, poses, ...told } = found;
  if (first && error === undefined) await first.keep(found, isOff);
  if (isOff && !isRecording(source)) {
    listener.warn(
      `the mesh is up to ${(1000 * first.offM).toFixed(0)} mm off: later views showed better where the camera was, and a stream's frames cannot be read again, from corrected places; record the stream and scan the recording`,
    );
  }
  let model = first;
  if (!first || (isOff && !listener.stop.aborted && isRecording(source))) {
    if (first)
      listener.note(
        `later views showed better where the camera was (${told.loops} matches with earlier views): the frames are added anew, from corrected places`,
      );
    model = new Growth(request, look, listener, found, given && before);
    error = (await grow(model, used.length)) ?? error;
  }
  const volume = model?.volume;
  if (!volume) {
    if (error ?? listener.stop.aborted) throw error ?? new Interrupted(UNBEGUN);
    throw new SourceError(`${source.name}: no frame shows where the camera was: let it see more, and move slowly`);
  }
  const { mesh, offM } = await finished(volume, request);
  if (first) await request.views?.finish(first.placer, mesh, source.fps);
  if (mesh.indices.length === 0) {
    if (error) throw error;
    const others = told.unplaced > 0 ? `, and the camera's place is not known in ${told.unplaced} others` : "";
    const seen = look.frame ? countValid(look.frame.depth) / look.frame.depth.data.length : 1;
    const sparse = seen < SPARSE ? `; the first one has depth in ${(100 * seen).toFixed(0)} % of its pixels` : "";
    throw new SourceError(
      `${source.name}: no surface is seen well enough in ${counted(volume.frames, "frame")}${others}${sparse}: give more frames, larger voxels, keep the largest piece whatever its size, or crop less`,
      [],
      "voxelM",
    );
  }
  return { ...told, mesh, offM, poses, isFull: volume.isFull, error };
}
