import { SourceError } from "../../../../core/source.ts";
import type { Camera, CameraRequest, Driver } from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { loadVendor } from "../../ffi/loading.ts";
import { type Api, bind, REALSENSE } from "./api.ts";
import { RealSenseCamera } from "./camera.ts";
import { infoOf, withDevices } from "./device.ts";
import { PlayedCamera } from "./playback.ts";

/**
 * RealSense cameras through librealsense2, 2.50 or newer (librealsense2/rs.h). `which` is a serial number, or the path of a .bag that the
 * library's own playback gives as a camera.
 */
export function realsense(ffi: Ffi, place: SearchPlace): Driver {
  const api = bind(loadVendor(ffi, place, REALSENSE));
  // The library refuses a program that was made for another version of it than its own.
  const context = pointerOf(api.createContext(api.number));
  return {
    library: `librealsense ${api.version}, ${api.path}`,
    list: () => withDevices(api, context, (device) => infoOf(api, device)),
    open: async (request) => openDevice(api, ffi, context, request),
    close: () => void api.freeContext(context),
  };
}

function openDevice(api: Api, ffi: Ffi, context: bigint, request: CameraRequest): Camera {
  const { which } = request;
  // A serial number is all digits.
  if (which !== undefined && !/^\d+$/.test(which)) return new PlayedCamera(api, ffi, context, which, request);
  const camera = openPlugged(api, ffi, context, request);
  camera.start();
  return camera;
}

function openPlugged(api: Api, ffi: Ffi, context: bigint, request: CameraRequest): RealSenseCamera {
  const { which } = request;
  const ids: string[] = [];
  const list = pointerOf(api.queryDevices(context));
  try {
    for (let i = 0; i < numberOf(api.deviceCount(list)); i++) {
      const device = pointerOf(api.createDevice(list, i));
      const { id } = infoOf(api, device);
      // The device is kept for as long as the process runs, which reads this one camera.
      if (which === undefined || which === id) return new RealSenseCamera(api, ffi, context, device, request);
      ids.push(id);
      api.freeDevice(device);
    }
  } finally {
    api.freeDevices(list);
  }
  if (ids.length === 0) throw new SourceError("camera:realsense: no camera is plugged in");
  throw new SourceError(`camera:realsense: no camera ${which} is plugged in; there is ${ids.join(", ")}`);
}
