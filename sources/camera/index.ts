import { checkOptions } from "../../core/check.ts";
import { disposable, SourceError } from "../../core/source.ts";
import { cameraNamed } from "./address.ts";
import { type CameraOptions, type CameraSource, cameraRules } from "./options.ts";

/**
 * Opens a depth camera that is plugged into this computer, in Node: `camera:realsense`, `camera:freenect`, `camera:openni`, `camera:v4l2`,
 * or with a serial number after another colon. The vendor's library and the package koffi must be installed. A process of its own reads
 * the camera, so that a crash of the vendor's library does not end this one; a camera that is unplugged is opened again when it is back.
 * Rejects with a `SourceError` where the name is wrong, something is not installed, or no such camera is plugged in; with an `OptionError`
 * for an option that is misspelt or out of range; and with the reason of `signal` once that is aborted while the camera is being opened.
 *
 * @example
 * const camera = await openCamera("camera:realsense", { size: { width: 848, height: 480 }, fps: 30 });
 */
export async function openCamera(name: string, options: CameraOptions = {}): Promise<CameraSource> {
  const named = cameraNamed(name);
  checkOptions("openCamera", options, cameraRules);
  if (!import.meta.env.SSR)
    throw new SourceError(`${name}: pages cannot load drivers; "depthloom view ${name}" shows this camera in a page`);
  const { openHere } = await import("./source.ts");
  return disposable(await openHere(name, named, options));
}
