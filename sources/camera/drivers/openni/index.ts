import { SourceError } from "../../../../core/source.ts";
import type { Driver } from "../../../live/driver.ts";
import type { Ffi } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { loadVendor } from "../../ffi/loading.ts";
import { bind, OPENNI } from "./api.ts";
import { OpenniCamera } from "./camera.ts";
import { listed } from "./device.ts";

/**
 * OpenNI cameras (Xtion, Kinect v1, Astra, Structure) through OpenNI2, 2.2 or newer (OniCAPI.h). `which` is a device's address as
 * "depthloom cameras" lists it, or the path of an .oni that OpenNI's own file driver gives as a camera.
 */
export function openni(ffi: Ffi, place: SearchPlace): Driver {
  const api = bind(ffi, loadVendor(ffi, place, OPENNI));
  return {
    library: `OpenNI ${api.version}, ${api.path}`,
    list: () => listed(api, ffi),
    async open(request) {
      if (request.which === undefined && listed(api, ffi).length === 0)
        throw new SourceError("camera:openni: no camera is plugged in");
      return new OpenniCamera(api, ffi, request);
    },
    close: () => void api.shutdown(),
  };
}
