import type { Driver, DriverName } from "../../live/driver.ts";
import type { Ffi } from "../ffi/ffi.ts";
import type { SearchPlace } from "../ffi/find.ts";

/** Loads a driver with the vendor's library. Rejects with a `SourceError` where that is missing or too old. */
export async function loadDriver(name: DriverName, ffi: Ffi, place: SearchPlace): Promise<Driver> {
  if (name === "realsense") return (await import("./realsense/index.ts")).realsense(ffi, place);
  if (name === "freenect") return (await import("./freenect/index.ts")).freenect(ffi, place);
  if (name === "openni") return (await import("./openni/index.ts")).openni(ffi, place);
  return (await import("./v4l2/index.ts")).v4l2(ffi, place);
}
