import type { GreyImage } from "../../core/extras.ts";
import type { DepthFrame, Intrinsics, PairGeometry } from "../../core/frame.ts";

/** The drivers, by the names that camera addresses have for them. */
export const DRIVERS = ["realsense", "freenect", "openni", "v4l2"] as const;
/** The name of a driver: `camera:realsense` is read through librealsense2. */
export type DriverName = (typeof DRIVERS)[number];

/** A size in pixels and a rate in frames per second at which a camera measures depth. */
export interface Mode {
  /** Columns, px. */
  readonly width: number;
  /** Rows, px. */
  readonly height: number;
  /** Frames per second. */
  readonly fps: number;
}

/** A setting of the camera itself, such as the power of its laser. */
export interface Control {
  /** The name that `CameraOptions` and the command line give it. */
  readonly name: string;
  /** The present value. */
  readonly value: number;
  /** The smallest value that the control takes. */
  readonly least: number;
  /** The largest value that the control takes. */
  readonly most: number;
  /** The step from one value to the next; absent if the driver tells none. */
  readonly step?: number;
  /** The names of the values from `least` on, in steps of 1, if the values have names, as presets do. */
  readonly names?: readonly string[];
}

/** The controls of a camera that runs. */
export interface Controls {
  /** The controls with their present values. */
  readonly list: readonly Control[];
  /** Why the last change was refused; absent after a change that was accepted. */
  readonly refused?: string | undefined;
}

/** A camera that a driver knows of. */
export interface CameraInfo {
  /** The driver that found the camera. */
  readonly driver: DriverName;
  /** The name that its maker gave the camera. */
  readonly name: string;
  /** Identifies the camera among others of its kind: a serial number, or a device's path. `camera:DRIVER:ID` opens it. */
  readonly id: string;
  /** A note on how the camera is plugged in: "USB 2: fewer modes". Empty if nothing is wrong. */
  readonly notes: readonly string[];
}

/** Which camera to open, and how. */
export interface CameraRequest {
  /** The driver to open it with. */
  readonly driver: DriverName;
  /** The id of one camera, or the path of a file that the vendor's own library plays as a camera; the first camera if absent. */
  readonly which?: string | undefined;
  /** `CameraState.others` of a camera that was lost: none of them takes its place. */
  readonly others?: readonly string[] | undefined;
  /** The size of depth; the camera's own choice if absent. */
  readonly size?: Pick<Mode, "width" | "height"> | undefined;
  /** Frames per second; the camera's own choice if absent. */
  readonly fps?: number | undefined;
  /** Whether to read colour, too. */
  readonly color: boolean;
  /** Values of controls, by name. */
  readonly controls: Readonly<Record<string, number>>;
  /** Whether to read infrared images, too: see `CameraState.infrared`. */
  readonly infrared?: boolean | undefined;
  /** Whether to read both infrared images of a stereo camera, too, in each shot whose images are of one moment. */
  readonly pair?: boolean | undefined;
}

/** Properties that all frames of an open camera share. */
export interface CameraState {
  /** The camera. */
  readonly info: CameraInfo;
  /** Frames per second. */
  readonly fps: number;
  /** Metres per unit of depth. */
  readonly metresPerUnit: number;
  /** The depth camera's intrinsics. */
  readonly intrinsics: Intrinsics;
  /** The clock of the frames' time stamps: "the device's clock", "this computer's clock". */
  readonly clock: string;
  /** Says where the lens comes from, and what colour there is. */
  readonly notes: readonly string[];
  /** The sizes and rates that the camera offers. */
  readonly modes: readonly Mode[];
  /** The camera's settings. */
  readonly controls: readonly Control[];
  /** The version of the vendor's library, and the file it was loaded from. */
  readonly library: string;
  /** Whether the camera gives infrared images if it is opened with `CameraRequest.infrared`. */
  readonly infrared?: boolean;
  /** Which other cameras were there when this one was opened, where its id may be another camera's once it was unplugged. */
  readonly others?: readonly string[] | undefined;
  /** For a camera opened with `CameraRequest.pair`: which two images its pair has, or "none: " and the reason. */
  readonly pair?: string | undefined;
}

/** The form of an infrared image: see `GreyImage`. */
export interface GreyForm extends Pick<GreyImage, "width" | "height" | "from"> {
  /** Bits of a pixel. */
  readonly bits: 8 | 16;
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
  /** See `DepthFrame.metadata`. */
  readonly metadata?: DepthFrame["metadata"];
  /** The infrared image that belongs to the depth; of 16 bits, `bytes` are little-endian. */
  readonly infrared?: (GreyForm & { readonly bytes: Uint8Array }) | undefined;
  /** The right image of a pair, of the same form; `infrared` is the left one. */
  readonly right?: (PairGeometry & { readonly bytes: Uint8Array }) | undefined;
  release(): void;
}

/** An open camera. */
export interface Camera {
  readonly state: CameraState;
  /**
   * Waits for the next frame, for a quarter of a second at most; `undefined` if none came. Rejects with an error that says what is wrong
   * when no frame can come any more, because the camera was unplugged.
   */
  next(): Promise<Shot | undefined>;
  /**
   * Sets a control. Throws an error that lists the controls if no control has that name, or lists the values if the control refuses this
   * value.
   */
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

/** A driver waits this long for a frame, in ms, before it looks whether it should stop. */
export const WAIT_MS = 250;
