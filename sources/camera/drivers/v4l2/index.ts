import { SourceError } from "../../../../core/source.ts";
import type { CameraInfo, Driver } from "../../../live/driver.ts";
import type { Ffi } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { V4l2Camera } from "./camera.ts";
import { infoOf } from "./device.ts";
import { type Kernel, kernelOf, Refused } from "./kernel.ts";

const FOLDER = "/dev";
/** EACCES, EBUSY */
const WHY: Readonly<Record<number, string>> = {
  13: "you may not open it: join the group video (sudo usermod -aG video $USER, and log in again)",
  16: "another program has it",
};

/**
 * Cameras whose depth Linux itself reads, as pixel format Z16 of V4L2 (videodev2.h), on 64-bit Linux. `which` is a device's path,
 * /dev/video2; no library is needed.
 */
export function v4l2(ffi: Ffi, place: SearchPlace): Driver {
  if (place.platform !== "linux")
    throw new SourceError("camera:v4l2: only Linux has V4L2; use the camera's own driver");
  if (place.arch !== "x64" && place.arch !== "arm64")
    throw new SourceError("camera:v4l2: only 64-bit Linux is supported");
  const kernel = kernelOf(ffi);
  return {
    library: "V4L2 of the kernel",
    list: () => pathsIn(place).flatMap((path) => ask(kernel, path) ?? []),
    async open(request) {
      const paths = request.which === undefined ? pathsIn(place) : [request.which];
      for (const path of paths) {
        const fd = openOf(kernel, path);
        const info = infoOf(kernel, fd, path);
        if (info) return new V4l2Camera(kernel, fd, info, request);
        kernel.close(fd);
      }
      const which = request.which === undefined ? "no video device is" : `${request.which} is no device`;
      throw new SourceError(
        `camera:v4l2: ${which} there that gives depth of 16 bits (Z16); "v4l2-ctl --list-formats" tells formats`,
      );
    },
    close() {},
  };
}

const pathsIn = (place: SearchPlace): readonly string[] =>
  place
    .list(FOLDER)
    .filter((name) => /^video\d+$/.test(name))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)))
    .map((name) => `${FOLDER}/${name}`);

function openOf(kernel: Kernel, path: string): number {
  try {
    return kernel.open(path);
  } catch (error) {
    const why = error instanceof Refused ? (WHY[error.errno] ?? `error ${error.errno}`) : String(error);
    throw new SourceError(`camera:v4l2:${path}: it does not open: ${why}`);
  }
}

/** Describes a device; `undefined` if the device gives no depth or cannot be asked. */
function ask(kernel: Kernel, path: string): CameraInfo | undefined {
  let fd: number;
  try {
    fd = kernel.open(path);
  } catch {
    return undefined;
  }
  try {
    return infoOf(kernel, fd, path);
  } finally {
    kernel.close(fd);
  }
}
