import type { LiveSource } from "../live/index.ts";
import type { LiveOptions } from "../live/protocol.ts";
import type { CameraRequest, CameraState, Mode } from "./driver.ts";

/** How to open a camera. What is not given, the camera chooses. */
export type CameraOptions = Omit<LiveOptions, "topic"> & {
  /** The size of depth images; with `fps` it must be one of the camera's modes. */
  readonly size?: Pick<Mode, "width" | "height"> | undefined;
  /** Settings of the camera itself, such as `{ laser: 150 }`; "depthloom cameras" lists them. */
  readonly controls?: CameraRequest["controls"] | undefined;
};

/** A depth camera of this computer. It cannot wait, so use it with `process("latest")`. */
export interface CameraSource extends LiveSource {
  /** What the driver tells of the camera: its name, modes, lens, clock and controls. */
  readonly state: CameraState;
  /** Changes a control while the camera runs. Throws a `SourceError` for a control or a value that the camera does not have. */
  set(control: string, value: number): void;
}
