import { assumedLens } from "../../../../core/calibration/assumedLens.ts";
import { SourceError } from "../../../../core/source.ts";
import { checkControl } from "../../../live/controls.ts";
import {
  type Camera,
  type CameraInfo,
  type CameraRequest,
  type CameraState,
  type Driver,
  type Shot,
  WAIT_MS,
} from "../../../live/driver.ts";
import type { Ffi } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { modelOf } from "../../media/models.ts";
import { busOf, CAPTURE, controlsOf, infoOf, modesOf, setControl, setMode, Z16 } from "./device.ts";
import { IOCTL, type Kernel, kernelOf, Refused } from "./kernel.ts";

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
    list: () => pathsIn(place).flatMap((path) => ask(kernel, path)?.info ?? []),
    async open(request) {
      const paths = request.which === undefined ? pathsIn(place) : [request.which];
      const errors: unknown[] = [];
      for (const path of paths) {
        let fd = -1;
        try {
          fd = openOf(kernel, path);
          const info = infoOf(kernel, fd, path);
          const bus = busOf(kernel, fd);
          if (info && !request.others?.includes(bus)) {
            const buses = pathsIn(place).flatMap((one) => ask(kernel, one)?.bus ?? []);
            const others = buses.filter((one) => one !== bus);
            return new V4l2Camera(kernel, fd, info, { ...request, others });
          }
        } catch (error) {
          // The camera may be one of the devices behind this one.
          errors.push(error);
        }
        if (fd >= 0) kernel.close(fd);
      }
      if (errors.length > 0) throw errors[0];
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

/** Describes a device and where it is plugged in; `undefined` if the device gives no depth or cannot be asked. */
function ask(kernel: Kernel, path: string): { readonly info: CameraInfo; readonly bus: string } | undefined {
  let fd: number;
  try {
    fd = kernel.open(path);
  } catch {
    return undefined;
  }
  try {
    const info = infoOf(kernel, fd, path);
    return info && { info, bus: busOf(kernel, fd) };
  } finally {
    kernel.close(fd);
  }
}

const USUAL = { width: 640, height: 480, fps: 30 };
/** The frames that the kernel may fill while others are being sent. */
const BUFFERS = 4;
/** V4L2_MEMORY_MMAP */
const MMAP = 1;
/** A device that gives no frame for this many waits is taken for unplugged. */
const PATIENCE = 8;

/** An open V4L2 device that gives depth of 16 bits. The kernel's own memory is handed on, and given back when a frame has been sent. */
class V4l2Camera implements Camera {
  readonly state: CameraState;
  readonly #buffers: readonly { readonly memory: Uint8Array; unmap(): void }[];
  #silent = 0;

  constructor(
    readonly kernel: Kernel,
    readonly fd: number,
    info: CameraInfo,
    request: CameraRequest,
  ) {
    const name = `camera:v4l2:${info.id}`;
    const modes = modesOf(kernel, fd);
    const wanted = { ...USUAL, ...request.size, fps: request.fps ?? USUAL.fps };
    const { width, height, format, stride, fps } = setMode(kernel, fd, wanted);
    if (format !== Z16)
      throw new SourceError(`${name}: it gives no depth of 16 bits at ${wanted.width}x${wanted.height}`);
    if (request.size && (width !== request.size.width || height !== request.size.height))
      throw new SourceError(`${name}: it gives ${width}x${height}, not ${request.size.width}x${request.size.height}`);
    if (request.fps && fps > 0 && fps !== request.fps)
      throw new SourceError(`${name}: it gives ${fps} frames a second at ${width}x${height}, not ${request.fps}`);
    if (stride !== 2 * width)
      throw new SourceError(`${name}: its rows take ${stride} bytes, not ${2 * width}; choose another size`);
    const model = modelOf(info.name);
    this.#buffers = this.#map();
    this.state = {
      info,
      fps: fps || wanted.fps,
      metresPerUnit: model?.metresPerUnit ?? 0.001,
      intrinsics: (model?.lens ?? assumedLens)(width, height),
      clock: "this computer's clock since its start",
      notes: ["none", `V4L2 tells neither lens nor unit: they are assumed (${model?.name ?? "no known camera"})`],
      modes,
      controls: controlsOf(kernel, fd),
      library: "V4L2 of the kernel",
      others: request.others ?? [],
    };
    for (const [control, value] of Object.entries(request.controls)) this.set(control, value);
    for (let i = 0; i < this.#buffers.length; i++) this.#queue(i);
    kernel.ask(fd, IOCTL.streamOn, (view) => view.setUint32(0, CAPTURE, true));
  }

  #map() {
    const { kernel, fd } = this;
    const answer = kernel.ask(fd, IOCTL.requestBuffers, (view) => {
      [BUFFERS, CAPTURE, MMAP].forEach((value, i) => {
        view.setUint32(4 * i, value, true);
      });
    });
    return Array.from({ length: answer?.getUint32(0, true) ?? 0 }, (_, i) => {
      const buffer = kernel.ask(fd, IOCTL.queryBuffer, (view) => describe(view, i));
      return kernel.map(fd, buffer?.getUint32(72, true) ?? 0, buffer?.getUint32(64, true) ?? 0);
    });
  }

  #queue(index: number): void {
    this.kernel.ask(this.fd, IOCTL.queue, (view) => describe(view, index));
  }

  async next(): Promise<Shot | undefined> {
    const { kernel, fd } = this;
    if (!(await kernel.wait(fd, WAIT_MS))) {
      if (++this.#silent >= PATIENCE)
        throw new Error("it gives no frame any more; it was unplugged, or another program stopped it");
      return undefined;
    }
    this.#silent = 0;
    const answer = kernel.ask(fd, IOCTL.dequeue, (view) => describe(view, 0));
    if (!answer) return undefined;
    const index = answer.getUint32(0, true);
    const release = () => this.#queue(index);
    const { width, height } = this.state.intrinsics;
    const depth = this.#buffers[index]?.memory.subarray(0, answer.getUint32(8, true));
    if (depth?.length !== 2 * width * height) {
      release();
      return undefined;
    }
    // A timeval: seconds and microseconds, 8 bytes each.
    const stampMs = Number(answer.getBigInt64(24, true)) * 1000 + Number(answer.getBigInt64(32, true)) / 1000;
    return { stampMs, number: answer.getUint32(56, true), depth, release };
  }

  set(name: string, value: number): void {
    checkControl("camera:v4l2", this.state.controls, name, value);
    setControl(this.kernel, this.fd, name, value);
    Object.assign(this.state, { controls: controlsOf(this.kernel, this.fd) });
  }

  close(): void {
    this.kernel.ask(this.fd, IOCTL.streamOff, (view) => view.setUint32(0, CAPTURE, true));
    for (const buffer of this.#buffers) buffer.unmap();
    this.kernel.close(this.fd);
  }
}

/** Fills a v4l2_buffer: which one, of what kind, and whose memory it is. */
function describe(view: DataView, index: number): void {
  view.setUint32(0, index, true);
  view.setUint32(4, CAPTURE, true);
  view.setUint32(60, MMAP, true);
}
