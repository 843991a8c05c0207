import type { Rigid } from "../core/pose.ts";
import type { RunRequest } from "../run/request.ts";
import type { Kept } from "./mesh/finish.ts";
import type { Mesh } from "./mesh/mesh.ts";
import type { Place, Placer } from "./place/placer.ts";
import type { Stood } from "./place/stood.ts";
import type { WayQuality } from "./place/way.ts";
import type { Turned } from "./turntable/turntable.ts";
import type { Views } from "./views.ts";
import type { Held, VolumeOptions } from "./volume/volume.ts";
import type { Fineness } from "./volume/volumeFor.ts";

/** The recording to scan, and how finely. */
export interface ScanRequest
  extends Pick<RunRequest, "chosen" | "backend" | "adapter" | "noise" | "start" | "frames" | "isStrict">,
    Fineness,
    Kept {
  /** A thing turned on a turntable before a camera that stood. */
  readonly turntable?: boolean | undefined;
  /** The recording has the poses, so a frame without one has no place. */
  readonly isPosed?: boolean | undefined;
  /** Takes pictures of what was scanned. */
  readonly views?: Views | undefined;
  /** Is told what would be lost if the scan were stopped; a recording's scan then ends with `Interrupted`, without a mesh. */
  readonly keep?: Keep | undefined;
  /** What an earlier scan of the same frames kept, and from where this scan goes on; not together with `views`. */
  readonly before?: Before | undefined;
}

/** A scan's mesh and poses, and how the scan ended. */
export interface Scan {
  /** In the axes of the first camera: x right, y down, z forward, from its place. */
  readonly mesh: Mesh;
  /** How far the mesh is from the one before it was simplified, m. */
  readonly offM: number;
  /** Where the camera was at each frame that was added, in order. */
  readonly poses: readonly ScanPose[];
  /** Frames that were left out because the camera's place could not be told. */
  readonly unplaced: number;
  /** How many pairs of views show that the camera was back where it had been: one return gives several. */
  readonly loops: number;
  /** How far the poses that `track` found were moved so that these loops close, at most, m. */
  readonly movedM: number;
  /** How well the scene showed the camera's path; `undefined` where the recording said the poses. */
  readonly way: WayQuality | undefined;
  /** In how many frames depth hid a direction of motion, along which `track` held the camera. */
  readonly heldFrames: number;
  /** In how many frames the camera stood while a third of the picture differed from what it was when the camera came to stand. */
  readonly changedFrames: number;
  /**
   * By how much the recording's poses differ from what depth shows, from one frame to the next, m, at most; 0 where they go together. Poses
   * of another clock, in another unit, from world to camera, or with a jump contradict depth.
   */
  readonly astrayM: number;
  /** How the thing turned, where it was scanned on a turntable: the poses are then those of a camera that goes around the thing. */
  readonly turned?: Turned | undefined;
  /** The share of the thing's surface that was seen, at most: where the mesh is open, the rest would close it by the shortest way. */
  readonly seenShare?: number | undefined;
  /** Whether a part did not fit into the memory. */
  readonly isFull: boolean;
  /** Why the scan ended early; the mesh is then made of the frames before. */
  readonly error: unknown;
}

/** A camera's place when it saw a frame: in the world of the first camera whose place was known. */
export interface ScanPose {
  /** ms. */
  readonly timestamp: number;
  /** Maps that camera to the world: the upper three rows of a 4 × 4 matrix, row by row, in metres. */
  readonly toWorld: Rigid;
}

/** A frame that was added: its place, and the pose with which the volume has it. */
export interface Written {
  /** ms. */
  readonly timestamp: number;
  readonly place: Place;
  readonly used: Rigid;
}

/** Where the camera was in all frames, and what was learnt on the way: plain values, from which the mesh can be made. */
export interface Found
  extends Pick<Scan, "poses" | "unplaced" | "loops" | "movedM" | "way" | "heldFrames" | "changedFrames" | "astrayM"> {
  /** For each frame the pose with which the frame was added to the mesh; `null` where the pose is not known. */
  readonly used: readonly (Rigid | null)[];
}

/** All that a scan knows between two frames, except the bytes of its bricks: plain values. */
export interface Midway {
  /** The places of all frames, where they are known already and the frames are added from these. */
  readonly found: Found | undefined;
  /** For each frame that is done; `undefined` where its pose is not known, `null` where a recording's frame could not be read. */
  readonly placed: (Written | undefined | null)[];
  readonly held: number;
  /** The pose of the last of them as track said it. */
  readonly tracked: Rigid | undefined;
  readonly placer: Placer["state"];
  readonly stood: Stood["state"];
  readonly model: { readonly options: VolumeOptions; readonly held: Held } | undefined;
}

/** Takes what would be lost if a scan were stopped, as it goes on. */
export interface Keep {
  /** The scan begins, or begins again. */
  begin(): Promise<void>;
  /** Takes the place of a frame as it is known when the frame is added. */
  pose(pose: ScanPose): Promise<void>;
  /** Takes all that the scan knows, and the bytes of its bricks: valid until the promise resolves. */
  midway(midway: Midway, bricks: Uint8Array): Promise<void>;
}

/** What a stopped scan had done. */
export interface Before {
  readonly midway: Midway;
  /** Reads the bytes of the scan's bricks. */
  bricks(into: Uint8Array): Promise<void>;
}
