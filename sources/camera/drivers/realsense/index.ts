import { SourceError } from "../../../../core/source.ts";
import type { Camera, CameraRequest, CameraState, Driver, Shot } from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { loadVendor } from "../../ffi/loading.ts";
import { type Api, bind, REALSENSE } from "./api.ts";
import { RealSenseCamera } from "./camera.ts";
import { infoOf, withDevices } from "./device.ts";

/**
 * RealSense cameras through librealsense2, 2.50 or newer (librealsense2/rs.h). `which` is a serial number, or the path of a .bag that the
 * library's own playback gives as a camera.
 */
export function realsense(ffi: Ffi, place: SearchPlace): Driver {
  const api = bind(loadVendor(ffi, place, REALSENSE));
  // The library refuses a program that was made for another version of the library.
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
      // The device is kept as long as the process runs, because the process reads this one camera.
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

/** RS2_PLAYBACK_STATUS_STOPPED */
const STOPPED = 3;

/** A recording (.bag) that librealsense's own playback gives as a camera, at its own pace, again and again. */
class PlayedCamera implements Camera {
  #device: bigint;
  #camera: RealSenseCamera;

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly context: bigint,
    readonly file: string,
    readonly request: CameraRequest,
  ) {
    [this.#device, this.#camera] = this.#begin();
  }

  get state(): CameraState {
    return this.#camera.state;
  }

  async next(): Promise<Shot | undefined> {
    // Asked before the queue: what came until then is in the queue.
    const ended = numberOf(this.api.playbackStatus(this.#device)) === STOPPED;
    const shot = await this.#camera.next();
    if (shot || !ended) return shot;
    this.#end();
    [this.#device, this.#camera] = this.#begin();
    return undefined;
  }

  set(name: string, value: number): void {
    this.#camera.set(name, value);
  }

  close(): void {
    this.#end();
  }

  #begin(): [device: bigint, camera: RealSenseCamera] {
    const { api, ffi, context, file, request } = this;
    const device = pointerOf(api.addFile(context, file));
    const camera = new RealSenseCamera(api, ffi, context, device, request);
    // The file runs from its beginning when all streams listen.
    api.pause(device);
    camera.start();
    api.resume(device);
    return [device, camera];
  }

  #end(): void {
    const { api, context, file } = this;
    this.#camera.close();
    api.freeDevice(this.#device);
    api.removeFile(context, file);
  }
}
