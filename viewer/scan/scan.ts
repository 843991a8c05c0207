import { type CameraPose, type Pipeline, POSE_STATE, type ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthArray, DepthFrame } from "../../sources/core/frame.ts";
import { isRecording, type Source, SourceError } from "../../sources/index.ts";
import { compose, invert, type Rigid, rigid } from "../../stages/core/pose.ts";
import { noiseOf } from "../replay/noise.ts";
import type { Output } from "../replay/output.ts";
import { replay } from "../replay/replay.ts";
import type { ReplayListener, ReplayRequest } from "../replay/request.ts";
import { FilteredFrames } from "../report/filtered.ts";
import { type Mesh, meshOf } from "./mesh/mesh.ts";
import { type Box, cropped, simplified, withoutFlecks } from "./mesh/tidy.ts";
import type { SigmaOfDepth } from "./volume/planes.ts";
import { Volume } from "./volume/volume.ts";

/** What is scanned, and how finely. */
export interface ScanRequest
  extends Pick<ReplayRequest, "recording" | "chosen" | "backend" | "adapter" | "noise" | "start" | "frames"> {
  /** The edge of a voxel, m. */
  readonly voxelM: number;
  /** Depth beyond this is not used, m; `undefined`: where a pixel is as wide as 1.5 voxels. */
  readonly farM: number | undefined;
  /** The most memory of the model, MiB. */
  readonly mostMegabytes: number;
  /** What to keep, in the axes of the first camera. */
  readonly crop: Box | undefined;
  /** Pieces of fewer triangles are left out. */
  readonly leastPiece: number;
  /** The most triangles of the mesh. */
  readonly triangles: number | undefined;
}

/** A camera's place when it saw a frame: in the world of the first camera whose place was known. */
export interface ScanPose {
  /** ms. */
  readonly timestamp: number;
  /** Maps that camera to the world: the upper three rows of a 4 × 4 matrix, row by row, in metres. */
  readonly toWorld: Rigid;
}

/** What a scan came to. */
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

/** The noise of depth where a recording does not show it: that of a good camera after filtering. */
const USUAL_NOISE: SigmaOfDepth = { a: 1, b: 1 };
/** A pixel may be as wide as this many voxels. */
const WIDEST = 1.5;
/** A voxel counts if so many units of weight saw it: a frame close by has 256, one from far away 10 or more. */
const KNOWN = 300;
/** In a short recording a voxel counts if a frame for each 8 saw it well. */
const KNOWN_PER_FRAME = 32;

/**
 * Runs a source's frames through the filters and `track`, adds them to a volume, and makes a mesh of that. The same recording gives the
 * same mesh on the same device. Throws what `replay` throws where it cannot begin.
 */
export async function scanSource(source: Source, request: ScanRequest, listener: ReplayListener): Promise<Scan> {
  const noise = isRecording(source) ? await noiseOf(source) : undefined;
  const model = new Model(request, noise ?? USUAL_NOISE);
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
  const least = Math.min(KNOWN, KNOWN_PER_FRAME * volume.frames);
  const whole = withoutFlecks(meshOf(volume, least), request.leastPiece);
  if (whole.indices.length === 0) {
    throw new SourceError(
      `${source.name}: ${volume.frames} frames show no surface well enough: give more frames, larger voxels (--voxel 5cm), or keep the largest piece whatever its size (--largest)`,
    );
  }
  const wanted = request.crop ? cropped(whole, request.crop) : whole;
  const { mesh, offM } = await simplified(wanted, request.triangles ?? Infinity);
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
  /** Maps the pipeline's world to that of the first camera. */
  #fromFirst: Rigid | undefined;

  constructor(
    readonly request: ScanRequest,
    readonly sigma: SigmaOfDepth,
  ) {}

  async begin(pipeline: Pipeline): Promise<void> {
    this.#filtered = new FilteredFrames(pipeline);
    this.volume = undefined;
    this.poses = [];
    this.unplaced = 0;
    this.#fromFirst = undefined;
  }

  async write(
    processed: ProcessedFrame,
    _fps: number,
    depth: DepthArray,
    _points: unknown,
    _picture: unknown,
    pose: CameraPose | undefined,
  ): Promise<void> {
    if (!pose || !this.#filtered || (pose.state === POSE_STATE.lost && !pose.recorded)) {
      this.unplaced++;
      return;
    }
    const frame = { ...this.#filtered.of(processed), depth };
    this.#fromFirst ??= invert(rigid(), pose.toWorld);
    const toWorld = compose(rigid(), this.#fromFirst, pose.toWorld);
    this.volume ??= this.#begun(frame);
    this.volume.add(frame, toWorld);
    this.poses.push({ timestamp: frame.timestamp, toWorld });
  }

  async finish(): Promise<void> {}

  #begun({ intrinsics, color }: DepthFrame): Volume {
    const { voxelM, mostMegabytes, farM = WIDEST * voxelM * intrinsics.fx } = this.request;
    const pixels = intrinsics.width * intrinsics.height;
    const mostBytes = mostMegabytes * 2 ** 20;
    return new Volume({ voxelM, pixels, hasColour: color !== undefined, mostBytes, farM, sigma: this.sigma });
  }
}
