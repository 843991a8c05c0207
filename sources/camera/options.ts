import { type Rule, whole } from "../../core/check.ts";
import type { CameraRequest, CameraState, Mode } from "../live/driver.ts";
import type { LiveSource } from "../live/index.ts";
import { liveRules } from "../live/options.ts";
import type { LiveOptions } from "../live/protocol.ts";

/** How to open a camera. The camera chooses each option that is not given. */
export type CameraOptions = Omit<LiveOptions, "topic" | "assume"> & {
  /** The size of depth images; with `fps` it must be one of the camera's modes. */
  readonly size?: Pick<Mode, "width" | "height"> | undefined;
  /** Settings of the camera itself, such as `{ laser: 150 }`; "depthloom cameras" lists them. */
  readonly controls?: CameraRequest["controls"] | undefined;
};

const { topic: _, assume: __, ...live } = liveRules;
const side = whole(1, 65535);

/** Accepts the size of images. */
export const sizeRule: Rule = {
  expects: "a size: { width, height }",
  holds(value) {
    const { width, height } = { ...(value as Partial<Mode> | null) };
    return side.holds(width) && side.holds(height);
  },
};

/** The rules for the options of `openCamera`. */
export const cameraRules = {
  ...live,
  size: sizeRule,
  controls: {
    expects: "the values of controls, by name",
    holds: (value) => typeof value === "object" && value !== null && Object.values(value).every(Number.isFinite),
  },
} satisfies Record<keyof CameraOptions, Rule>;

/** A depth camera of this computer. It cannot wait, so use it with `process("latest")`. */
export interface CameraSource extends LiveSource {
  /** The driver's facts about the camera: its name, modes, lens, clock and controls. */
  readonly state: CameraState;
  /**
   * Changes a control while the camera runs; `controls` tells what came of it. Throws a `SourceError` for a control or a value that the
   * camera does not have.
   */
  set(control: string, value: number): void;
}
