import { shown } from "../../core/check.ts";
import { SourceError } from "../../core/source.ts";
import { DRIVERS, type DriverName } from "../live/driver.ts";

const SCHEME = "camera:";

/** Whether a text names a camera of this computer: `camera:realsense`. */
export const isCamera = (text: string): boolean => typeof text === "string" && text.startsWith(SCHEME);

export interface CameraName {
  readonly driver: DriverName;
  /** A serial number, a device's path, or a file that the vendor's library plays; `undefined` is the first camera. */
  readonly which: string | undefined;
}

/** Reads `camera:DRIVER` or `camera:DRIVER:WHICH`. Throws a `SourceError` for anything else. */
export function cameraNamed(text: string): CameraName {
  const [name = "", ...rest] = isCamera(text) ? text.slice(SCHEME.length).split(":") : [];
  const driver = DRIVERS.find((one) => one === name);
  if (driver) return { driver, which: rest.join(":") || undefined };
  throw new SourceError(
    `${shown(text)}: a camera's name is camera: and a driver (${DRIVERS.join(", ")}), with a serial number after another colon if there are several; "depthloom cameras" lists them`,
  );
}
