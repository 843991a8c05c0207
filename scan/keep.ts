import type { Rigid } from "../core/pose.ts";
import type { Place, Placer } from "./place/placer.ts";
import type { Stood } from "./place/stood.ts";
import type { Scan } from "./scan.ts";
import type { Held, VolumeOptions } from "./volume/volume.ts";

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
  extends Pick<Scan, "poses" | "unplaced" | "loops" | "movedM" | "way" | "heldFrames" | "changedFrames"> {
  /** For each frame the pose with which the mesh has it; `null` where nobody knows it. */
  readonly used: readonly (Rigid | null)[];
}

/** All that a scan knows between two frames, but for the bytes of its bricks: plain values. */
export interface Midway {
  /** The places of all frames, where they are known already and the frames are added from these. */
  readonly found: Found | undefined;
  /** For each frame that is done. */
  readonly placed: (Written | undefined)[];
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

/** What a scan had done that was stopped. */
export interface Before {
  readonly midway: Midway;
  /** Reads the bytes of its bricks. */
  bricks(into: Uint8Array): Promise<void>;
}
