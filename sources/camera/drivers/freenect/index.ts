import { SourceError } from "../../../../core/source.ts";
import type { Camera, CameraRequest, Driver } from "../../../live/driver.ts";
import { type Ffi, numberOf } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { loadVendor } from "../../ffi/loading.ts";
import { type Api, bind, FAKENECT, FREENECT } from "./api.ts";
import { FreenectCamera } from "./camera.ts";

/** FREENECT_DEVICE_CAMERA: without motor and microphones, which need rights of their own. FREENECT_LOG_ERROR. */
const CAMERA = 2;
const LOG_ERROR = 1;

/**
 * Kinect v1 through libfreenect, 0.5 or newer (libfreenect.h). `which` is a number from 0, a serial number, or the folder of a recording
 * that libfreenect's own stand-in, fakenect, gives as a camera.
 */
export function freenect(ffi: Ffi, place: SearchPlace): Driver {
  const api = bind(ffi, loadVendor(ffi, place, FREENECT));
  const context = contextOf(api);
  return {
    library: `libfreenect, ${api.loaded.path}`,
    list: () =>
      Array.from({ length: Math.max(0, numberOf(api.count(context))) }, (_, i) => ({
        driver: "freenect",
        name: "Kinect v1",
        id: String(i),
        notes: [],
      })),
    open: async (request) =>
      isFolder(request.which) ? play(ffi, place, request, request.which) : plugged(api, ffi, context, request),
    close: () => void api.shutdown(context),
  };
}

/** Whether `which` is a path: a serial number has letters and digits, no slash or dot. */
const isFolder = (which: string | undefined): which is string => which !== undefined && /[\\/.]/.test(which);

function contextOf(api: Api): bigint {
  const context = new BigUint64Array(1);
  const status = numberOf(api.init(context, null));
  if (status < 0)
    throw new SourceError(`camera:freenect: libfreenect does not start (status ${status}): USB is not to be had here`);
  const started = context[0] ?? 0n;
  api.setLogLevel(started, LOG_ERROR);
  api.selectSubdevices(started, CAMERA);
  return started;
}

function plugged(api: Api, ffi: Ffi, context: bigint, request: CameraRequest): Camera {
  const { which = "0" } = request;
  const count = numberOf(api.count(context));
  if (count <= 0) throw new SourceError("camera:freenect: no Kinect is plugged in, or it has no power supply");
  const device = new BigUint64Array(1);
  const status = /^\d{1,2}$/.test(which)
    ? api.open(context, device, Number(which))
    : api.openSerial(context, device, which);
  if (numberOf(status) < 0)
    throw new SourceError(
      `camera:freenect: Kinect ${which} does not open (status ${numberOf(status)}), of ${count}; another program may have it, or the udev rule is missing (docs/cameras.md)`,
    );
  return new FreenectCamera(api, ffi, context, device[0] ?? 0n, request, false);
}

function play(ffi: Ffi, place: SearchPlace, request: CameraRequest, folder: string): Camera {
  // Fakenect would end the process where the list is missing.
  if (!place.list(folder).includes("INDEX.txt"))
    throw new SourceError(`camera:freenect:${folder}: this is no recording of fakenect: there is no INDEX.txt in it`);
  place.setenv("FAKENECT_PATH", folder);
  const api = bind(ffi, loadVendor(ffi, place, FAKENECT));
  const context = contextOf(api);
  const device = new BigUint64Array(1);
  if (numberOf(api.open(context, device, 0)) < 0)
    throw new SourceError(`camera:freenect:${folder}: fakenect does not open it`);
  return new FreenectCamera(api, ffi, context, device[0] ?? 0n, request, true);
}
