import type { CameraPose, Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthArray } from "../../sources/core/frame.ts";
import { isRecording, type Source, SourceError } from "../../sources/index.ts";
import type { Rigid } from "../../stages/core/pose.ts";
import { noiseOf } from "../replay/noise.ts";
import type { Output } from "../replay/output.ts";
import { replay } from "../replay/replay.ts";
import type { ReplayListener, ReplayRequest } from "../replay/request.ts";
import { FilteredFrames } from "../report/filtered.ts";
import { finished, type Kept } from "./mesh/finish.ts";
import type { Mesh } from "./mesh/mesh.ts";
import { Placer } from "./place/placer.ts";
import type { SigmaOfDepth } from "./volume/planes.ts";
import type { Volume } from "./volume/volume.ts";
import { type Fineness, volumeFor } from "./volume/volumeFor.ts";

/** What is scanned, and how finely. */
export interface ScanRequest
  extends Pick<ReplayRequest, "recording" | "chosen" | "backend" | "adapter" | "noise" | "start" | "frames">,
    Fineness,
    Kept {}

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
  /** Whether a part did not fit into the memory. */
  readonly isFull: boolean;
  /** Why the scan ended early, beside what was made of the frames until then. */
  readonly error: unknown;
}

/**
 * Runs a source's frames through the filters and `track`, adds them to a volume, and makes a mesh of that. The same recording gives the
 * same mesh on the same device. Throws what `replay` throws where it cannot begin.
 */
export async function scanSource(source: Source, request: ScanRequest, listener: ReplayListener): Promise<Scan> {
  const noise = isRecording(source) ? await noiseOf(source) : undefined;
  const model = new Model(request, noise);
  const { error } = await replay(
    source,
    {
      ...request,
      ...{ policy: "lossless", loop: 1, timeEvery: 30, out: undefined, force: false, ply: false, raw: false },
      ...{ outputs: false, viewSize: undefined, orbit: undefined },
    },
    listener,
    model,
  );
  const { volume, poses, unplaced } = model;
  if (!volume) throw error ?? new Error(`${source.name}: no frame shows where the camera was`);
  const { mesh, offM } = await finished(volume, request);
  if (mesh.indices.length === 0) {
    throw new SourceError(
      `${source.name}: ${volume.frames} frames show no surface well enough: give more frames, larger voxels (--voxel 5cm), keep the largest piece whatever its size (--largest), or crop less`,
    );
  }
  return { mesh, offM, poses, unplaced, isFull: volume.isFull, error };
}

/** Takes the filtered frames of a replay into a volume. */
class Model implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  volume: Volume | undefined;
  poses: ScanPose[] = [];
  unplaced = 0;
  #filtered: FilteredFrames | undefined;
  #placer = new Placer();

  constructor(
    readonly request: ScanRequest,
    readonly sigma: SigmaOfDepth | undefined,
  ) {}

  async begin(pipeline: Pipeline): Promise<void> {
    this.#filtered = new FilteredFrames(pipeline);
    this.volume = undefined;
    this.poses = [];
    this.unplaced = 0;
    this.#placer = new Placer();
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
    const toWorld = frame && pose && this.#placer.place(frame, pose);
    if (!toWorld) {
      this.unplaced++;
      return;
    }
    this.volume ??= volumeFor(frame, this.request, this.sigma);
    this.volume.add(frame, toWorld);
    this.poses.push({ timestamp: frame.timestamp, toWorld });
  }

  async finish(): Promise<void> {}
}
