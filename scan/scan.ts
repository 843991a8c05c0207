import { counted } from "../core/check.ts";
import type { DepthArray } from "../core/frame.ts";
import type { Rigid } from "../core/pose.ts";
import { FilteredFrames } from "../pipeline/filtered.ts";
import type { CameraPose, Pipeline, ProcessedFrame } from "../pipeline/index.ts";

import type { Output } from "../run/replay/output.ts";
import type { ChosenStages } from "../run/replay/settings.ts";
import type { RunListener, RunRequest } from "../run/request.ts";
import { firstLook, run } from "../run/run.ts";
import { GpuError } from "../shaders/gpuError.ts";
import { isRecording, type Source, SourceError } from "../sources/index.ts";
import { registry } from "../stages/registry.ts";
import { finished, type Kept } from "./mesh/finish.ts";
import type { Mesh } from "./mesh/mesh.ts";
import { type Place, Placer } from "./place/placer.ts";
import { Stood } from "./place/stood.ts";
import { shiftM, type WayQuality } from "./place/way.ts";
import type { Views } from "./views.ts";
import { GpuVolume } from "./volume/gpuVolume.ts";
import type { SigmaOfDepth } from "./volume/pixelPlanes.ts";
import { type Fusable, Volume } from "./volume/volume.ts";
import { type Fineness, isFarOff, optionsFor } from "./volume/volumeFor.ts";

/** The most triangles of a mesh where nobody says another number: a page, a phone and every modelling program open so many. */
export const MOST_TRIANGLES = 500_000;

/** The stages behind one that cuts what is farther than `farM`, so that the camera is not followed by it; without `farM` unchanged. */
export function upTo(farM: number | undefined, chosen: ChosenStages): ChosenStages {
  const cut = registry.get("threshold");
  if (farM === undefined || !cut || chosen.stages.some(({ name }) => name === "threshold")) return chosen;
  return { ...chosen, stages: [cut({ minM: 0, maxM: farM }), ...chosen.stages] };
}

/** The recording to scan, and how finely. */
export interface ScanRequest
  extends Pick<RunRequest, "chosen" | "backend" | "adapter" | "noise" | "start" | "frames">,
    Fineness,
    Kept {
  /** Takes pictures of what was scanned. */
  readonly views?: Views | undefined;
  /** Is told what would be lost if the scan were stopped. */
  readonly keep?: Keep | undefined;
  /** What an earlier scan of the same frames found, with `views` none: the frames are added from these places at once. */
  readonly found?: Found | undefined;
}

/** Takes what a scan has found, as the scan goes on. */
export interface Keep {
  /** The scan begins, or begins again. */
  begin(): Promise<void>;
  /** Takes the place of a frame as it is known when the frame is added. */
  pose(pose: ScanPose): Promise<void>;
  /** Takes all places, when the frames have ended. */
  found(found: Found): Promise<void>;
}

/** Where the camera was in all frames, and what was learnt on the way: plain values, from which the mesh can be made. */
export interface Found
  extends Pick<Scan, "poses" | "unplaced" | "loops" | "movedM" | "way" | "heldFrames" | "changedFrames"> {
  /** For each frame the pose with which the mesh has it; `null` where nobody knows it. */
  readonly used: readonly (Rigid | null)[];
}

/** A camera's place when it saw a frame: in the world of the first camera whose place was known. */
export interface ScanPose {
  /** ms. */
  readonly timestamp: number;
  /** Maps that camera to the world: the upper three rows of a 4 × 4 matrix, row by row, in metres. */
  readonly toWorld: Rigid;
}

/** A scan's mesh and poses, and how the scan ended. */
export interface Scan {
  /** In the axes of the first camera: x right, y down, z forward, from its place. */
  readonly mesh: Mesh;
  /** How far the mesh is from the one before it was simplified, m. */
  readonly offM: number;
  /** Where the camera was at each frame that was added, in order. */
  readonly poses: readonly ScanPose[];
  /** Frames that were left out because nobody could tell where the camera was. */
  readonly unplaced: number;
  /** How many pairs of views show that the camera was back where it had been: one return gives several. */
  readonly loops: number;
  /** How far the poses that `track` found were moved so that these loops close, at most, m. */
  readonly movedM: number;
  /** How well the scene showed the camera's way; `undefined` where the recording said the poses. */
  readonly way: WayQuality | undefined;
  /** In how many frames depth hid a direction of motion, along which `track` held the camera. */
  readonly heldFrames: number;
  /** In how many frames the camera stood while a third of the picture was not what it was when the camera came to stand. */
  readonly changedFrames: number;
  /** Whether a part did not fit into the memory. */
  readonly isFull: boolean;
  /** Why the scan ended early, beside what was made of the frames until then. */
  readonly error: unknown;
}

/**
 * Runs a source's frames through the filters and `track`, adds them to a volume, and makes a mesh of that. Where loops moved the camera, a
 * recording's frames are added anew, from the right places; a stream's are not, and a warning says so. The same recording gives the same
 * mesh on the same device. Throws what `run` throws where it cannot begin.
 */
export async function scanSource(source: Source, request: ScanRequest, listener: RunListener): Promise<Scan> {
  const look = await firstLook(source, request.chosen, listener);
  const grow = async (model: Model, frames: number | undefined) =>
    (await run(source, { ...request, frames, first: look }, listener, () => ({ output: model }))).error;
  const first = request.found ? undefined : new Model(request, look.noise, listener);
  let error = first && (await grow(first, request.frames));
  first?.volume?.destroy();
  const isOff = first !== undefined && isFarOff(first.offM, request);
  const found = request.found ?? first?.found(isOff);
  if (!found) throw error;
  const { used, poses, ...told } = found;
  const isWhole = error === undefined && !listener.stop.aborted && isRecording(source);
  if (first && isWhole) await request.keep?.found(found);
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
    model = new Model(request, look.noise, listener, used);
    error = (await grow(model, used.length)) ?? error;
    model.volume?.destroy();
  }
  const volume = model?.volume;
  if (!volume)
    throw (
      error ?? new SourceError(`${source.name}: no frame shows where the camera was: let it see more, and move slowly`)
    );
  const { mesh, offM } = await finished(volume, request);
  if (first) await request.views?.finish(first.placer, mesh, source.fps);
  if (mesh.indices.length === 0) {
    if (error) throw error;
    throw new SourceError(
      `${source.name}: no surface is seen well enough in ${counted(volume.frames, "frame")}: give more frames, larger voxels, keep the largest piece whatever its size, or crop less`,
      [],
      "voxelM",
    );
  }
  return { ...told, mesh, offM, poses, isFull: volume.isFull, error };
}

/** A frame that was written: its place, if one was known, and the pose with which the volume has it. */
interface Written {
  readonly timestamp: number;
  readonly place: Place;
  readonly used: Rigid;
}

/** Takes the filtered frames of a run into a volume: on the GPU of the pipeline, if it has one and the model has room there. */
class Model implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  /** The volume of all frames, when they have ended. */
  volume: Volume | undefined;
  /** Each frame with its pose; `undefined` for a frame whose pose is unknown. */
  placed: (Written | undefined)[] = [];
  placer = new Placer();
  stood = new Stood();
  /** In how many frames a direction was held. */
  held = 0;
  #filtered: FilteredFrames | undefined;
  #pipeline: Pipeline | undefined;
  #growing: Volume | GpuVolume | undefined;

  constructor(
    readonly request: ScanRequest,
    readonly sigma: SigmaOfDepth | undefined,
    readonly listener: Pick<RunListener, "note">,
    /** The frames' poses, where they are known from an earlier run. */
    readonly known?: Found["used"],
  ) {}

  async begin(pipeline: Pipeline): Promise<void> {
    this.#filtered = new FilteredFrames(pipeline);
    this.#pipeline = pipeline;
    this.#growing?.destroy();
    this.#growing = this.volume = undefined;
    this.placed = [];
    this.placer = new Placer();
    this.stood = new Stood();
    this.held = 0;
    if (this.known) return;
    this.request.views?.clear();
    await this.request.keep?.begin();
  }

  async write(
    processed: ProcessedFrame,
    _fps: number,
    depth: DepthArray,
    _points: unknown,
    _picture: unknown,
    pose: CameraPose | undefined,
  ): Promise<void> {
    const frame = this.#filtered && { ...this.#filtered.of(processed), depth };
    const { known, placer } = this;
    if (frame && pose) this.stood.add(frame, pose);
    if (pose && !pose.recorded && pose.held > 0) this.held++;
    const place = known ? known[this.placed.length] : frame && pose && placer.place(frame, pose);
    if (!frame || !place) {
      this.placed.push(undefined);
      return;
    }
    const used = placer.poseOf(place);
    if (!known) {
      await this.request.views?.add(frame, place, used);
      await this.request.keep?.pose({ timestamp: frame.timestamp, toWorld: used });
    }
    this.#growing ??= await this.#open(frame);
    if (this.#growing instanceof GpuVolume && this.#growing.device !== this.#pipeline?.gpu?.device)
      throw new GpuError("the GPU was lost, and the model with it: scan again, or with the backend cpu");
    const { pixels } = this.#growing.options;
    const { width, height } = frame.intrinsics;
    if (width * height > pixels)
      throw new SourceError(
        `a frame of ${width} × ${height} pixels follows on smaller ones of ${pixels} pixels: scan the frames of one size alone`,
      );
    this.#growing.add(frame, used);
    this.placed.push({ timestamp: frame.timestamp, place, used });
  }

  async finish(): Promise<void> {
    const growing = this.#growing;
    if (!(growing instanceof GpuVolume)) this.volume = growing;
    else this.volume = await growing.read().finally(() => growing.destroy());
  }

  async #open(frame: Fusable): Promise<Volume | GpuVolume> {
    const options = optionsFor(frame, this.request, this.sigma);
    const device = this.#pipeline?.gpu?.device;
    if (device) {
      try {
        return await GpuVolume.open(device, options);
      } catch (error) {
        if (!(error instanceof GpuError)) throw error;
        this.listener.note(`the model grows on the CPU, since the GPU has no room for it (${error.message})`);
      }
    }
    return new Volume(options);
  }

  /** What the frames showed, by all that is known now. `isOff`: the volume is made anew, from the right places. */
  found(isOff: boolean): Found {
    const { placed, placer, held: heldFrames } = this;
    const right = placed.map((written) => written && placer.poseOf(written.place));
    const poses = placed.flatMap((written, i) => {
      const toWorld = right[i];
      return written && toWorld ? [{ timestamp: written.timestamp, toWorld }] : [];
    });
    const { loops, movedM, quality } = placer.keyframes;
    const isTracked = placed.some((written) => written && "keyframe" in written.place);
    return {
      used: placed.map((written, i) => (isOff ? right[i] : written?.used) ?? null),
      poses,
      unplaced: placed.length - poses.length,
      loops,
      movedM,
      way: isTracked ? quality : undefined,
      heldFrames,
      changedFrames: this.stood.frames,
    };
  }

  /** How far from the right place the volume has what a frame shows, at most, m. */
  get offM(): number {
    return Math.max(
      0,
      ...this.placed.map((written) => (written ? shiftM(written.used, this.placer.poseOf(written.place)) : 0)),
    );
  }
}
