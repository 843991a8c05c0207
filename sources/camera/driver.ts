import type { Intrinsics } from "../core/frame.ts";

/** The drivers, by the names that camera addresses have for them. */
export const DRIVERS = ["realsense", "freenect", "openni", "v4l2"] as const;
/** The name of a driver: `camera:realsense` is read through librealsense2. */
export type DriverName = (typeof DRIVERS)[number];

/** A size in pixels and a rate in frames per second at which a camera measures depth. */
export interface Mode {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** A setting of the camera itself, such as the power of its laser. */
export interface Control {
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/** A camera that a driver knows of. */
export interface CameraInfo {
  readonly driver: DriverName;
  /** The name that its maker gave the camera. */
  readonly name: string;
  /** What tells the camera from others of its kind: a serial number, or a device's path. `camera:DRIVER:ID` opens it. */
  readonly id: string;
  /** What somebody should know about how the camera is plugged in: "USB 2: fewer modes". Empty if nothing is wrong. */
  readonly notes: readonly string[];
}

/** Which camera to open, and how. */
export interface CameraRequest {
  readonly driver: DriverName;
  /** The id of one camera, or the path of a file that the vendor's own library plays as a camera; the first camera if absent. */
  readonly which?: string | undefined;
  readonly size?: Pick<Mode, "width" | "height"> | undefined;
  readonly fps?: number | undefined;
  /** Whether to read colour, too. */
  readonly color: boolean;
  readonly controls: Readonly<Record<string, number>>;
}

/** What is the same for all frames of an open camera. */
export interface CameraState {
  readonly info: CameraInfo;
  readonly fps: number;
  readonly metresPerUnit: number;
  readonly intrinsics: Intrinsics;
  /** What the times of frames are measured by: "the device's clock", "this computer's clock". */
  readonly clock: string;
  /** Says where the lens comes from, and what colour there is. */
  readonly notes: readonly string[];
  readonly modes: readonly Mode[];
  readonly controls: readonly Control[];
  /** The version of the vendor's library, and the file it was loaded from. */
  readonly library: string;
}

/** A frame in the driver's memory, which stays valid until `release`. */
export interface Shot {
  /** The time of capture in ms by `CameraState.clock`. */
  readonly stampMs: number;
  /** The camera's own count of its frames: a gap is a frame that the driver lost. */
  readonly number: number;
  /** Little-endian u16, row-major, 0 for no measurement. */
  readonly depth: Uint8Array;
  /** RGBA, registered to depth. */
  readonly color?: Uint8Array | undefined;
  release(): void;
}

/** An open camera. */
export interface Camera {
  readonly state: CameraState;
  /**
   * Waits for the next frame, for a quarter of a second at most; `undefined` if none came. Rejects with an error that says what is wrong
   * when the camera can give none any more, because it was unplugged.
   */
  next(): Promise<Shot | undefined>;
  /** Sets a control. Throws an error that names the controls if there is none of that name, or the values that it takes. */
  set(name: string, value: number): void;
  close(): void;
}

/** A vendor's library, loaded. */
export interface Driver {
  /** The version of the vendor's library, and the file it was loaded from. */
  readonly library: string;
  list(): readonly CameraInfo[];
  open(request: CameraRequest): Promise<Camera>;
  close(): void;
}

/** So many ms a driver waits for a frame before it looks whether it should stop. */
export const WAIT_MS = 250;
