import type { Camera, CameraRequest, CameraState, Shot } from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { RealSenseCamera } from "./camera.ts";

/** RS2_PLAYBACK_STATUS_STOPPED */
const STOPPED = 3;

/** A recording (.bag) that librealsense's own playback gives as a camera, at its own pace, again and again. */
export class PlayedCamera implements Camera {
  readonly state: CameraState;
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
    this.state = this.#camera.state;
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
