import { SourceError } from "../../../../core/source.ts";
import { checkControl } from "../../../live/controls.ts";
import {
  type Camera,
  type CameraRequest,
  type CameraState,
  type Driver,
  type Shot,
  WAIT_MS,
} from "../../../live/driver.ts";
import { type Ffi, numberOf } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { bindAll, type Calls, type Loaded, loadVendor, type Vendor } from "../../ffi/loading.ts";
import { FORMAT, type Images, millimetres, recorded } from "./images.ts";

/** FREENECT_DEVICE_MOTOR, and FREENECT_DEVICE_CAMERA without motor and microphones, which need rights of their own. FREENECT_LOG_ERROR. */
const MOTOR = 1;
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
  return started;
}

function plugged(api: Api, ffi: Ffi, context: bigint, request: CameraRequest): Camera {
  const { which = "0" } = request;
  const count = numberOf(api.count(context));
  if (count <= 0) throw new SourceError("camera:freenect: no Kinect is plugged in, or it has no power supply");
  const isNumber = /^\d{1,2}$/.test(which);
  if (isNumber && request.others && count + request.others.length > 1)
    throw new SourceError("camera:freenect: of several Kinects, which was lost? Open it by its serial number");
  // Without the motor libfreenect takes a tilt, and does nothing.
  api.selectSubdevices(context, TILT.name in request.controls ? MOTOR | CAMERA : CAMERA);
  const device = new BigUint64Array(1);
  const status = isNumber ? api.open(context, device, Number(which)) : api.openSerial(context, device, which);
  if (numberOf(status) < 0)
    throw new SourceError(
      `camera:freenect: Kinect ${which} does not open (status ${numberOf(status)}), of ${count}; another program may have it, or the udev rule is missing (docs/cameras.md)`,
    );
  const rest = Array.from({ length: count }, (_, i) => `${i}`).filter((one) => one !== which);
  const others = isNumber ? rest : undefined;
  return new FreenectCamera(api, ffi, context, device[0] ?? 0n, { ...request, others }, false);
}

function play(ffi: Ffi, place: SearchPlace, request: CameraRequest, folder: string): Camera {
  // Fakenect would end the process where the list is missing.
  if (!place.list(folder).includes("INDEX.txt"))
    throw new SourceError(`camera:freenect:${folder}: this is no recording of fakenect: there is no INDEX.txt in it`);
  place.setenv("FAKENECT_PATH", folder);
  const api = bind(ffi, loadVendor(ffi, place, FAKENECT));
  const context = contextOf(api);
  api.selectSubdevices(context, CAMERA);
  const device = new BigUint64Array(1);
  if (numberOf(api.open(context, device, 0)) < 0)
    throw new SourceError(`camera:freenect:${folder}: fakenect does not open it`);
  return new FreenectCamera(api, ffi, context, device[0] ?? 0n, request, true);
}

/** FREENECT_RESOLUTION_MEDIUM, 640×480, FREENECT_VIDEO_RGB and FREENECT_VIDEO_IR_8BIT. */
const MEDIUM = 1;
const RGB = 0;
const IR = 2;
/** An infrared image has all rows of the sensor; depth has 480 of them. */
const GREY = { width: 640, height: 488, bits: 8, from: "infrared" } as const;
/** The Kinect's clock runs at 60 MHz in 32 bits, which turn over every 71.6 s. */
const TICKS_PER_MS = 60_000;
const TURN = 2 ** 32;
/** Colour or infrared of another time belongs to another frame: the streams have 30 frames a second, and one of them may stop. */
const BESIDE_MS = 100;
const MODE = { width: 640, height: 480, fps: 30 };
const TILT = { name: "tilt", value: 0, least: -30, most: 30 };
/** A device that gives no frame for this many waits is taken for unplugged. */
const PATIENCE = 8;

/** An open Kinect v1, or a recording that fakenect plays as one. */
class FreenectCamera implements Camera {
  readonly state: CameraState;
  readonly #images: Images;
  readonly #callbacks: { release(): void }[] = [];
  /** Buffers of frames that have been sent, to be used again. */
  readonly #spare: Uint16Array[] = [];
  readonly #wait = new BigInt64Array([0n, BigInt(WAIT_MS * 1000)]);
  #rgb: Video | undefined;
  #grey: Video | undefined;
  #come: Shot[] = [];
  #ticks = 0;
  #turns = 0;
  #number = 0;
  #silentSinceMs = performance.now();

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly context: bigint,
    readonly device: bigint,
    readonly request: CameraRequest,
    /** Whether this is a recording: fakenect knows disparity alone. */
    readonly played: boolean,
  ) {
    const { which } = request;
    // The Kinect has one stream for colour and infrared. A recording has only colour.
    const infrared = request.infrared === true && !played;
    const color = request.color && !infrared;
    this.#images = played ? recorded() : millimetres(color);
    const format = played ? FORMAT.disparity : color ? FORMAT.registered : FORMAT.mm;
    const depthMode = api.findDepthMode(MEDIUM, format) as FrameMode;
    if (depthMode.is_valid === 0)
      throw new SourceError("camera:freenect: this libfreenect has no depth in millimetres; 0.5 or newer has");
    this.#check(api.setDepthMode(device, depthMode), "setting depth's mode");
    const pixels = MODE.width * MODE.height;
    this.#listen(api.setDepthCallback, 2 * pixels, (data, ticks) => this.#depth(data, ticks));
    if (color || infrared) {
      const video = api.findVideoMode(MEDIUM, infrared ? IR : RGB) as FrameMode;
      this.#check(api.setVideoMode(device, video), "setting colour's mode");
      this.#listen(api.setVideoCallback, infrared ? GREY.width * GREY.height : 3 * pixels, (data, ticks) => {
        const image = { data: data.slice(), ticks };
        if (infrared) this.#grey = image;
        else this.#rgb = image;
      });
      this.#check(api.startVideo(device), "starting colour");
    }
    this.#check(api.startDepth(device), "starting depth");
    this.state = {
      info: { driver: "freenect", name: played ? "Kinect v1, recorded" : "Kinect v1", id: which ?? "0", notes: [] },
      fps: MODE.fps,
      metresPerUnit: 0.001,
      intrinsics: this.#images.intrinsics,
      clock: "the device's clock",
      notes: [color ? this.#images.note : infrared ? "none beside infrared" : "none"],
      modes: [MODE],
      controls: !played && TILT.name in request.controls ? [TILT] : [],
      library: `libfreenect, ${api.loaded.path}`,
      infrared: !played,
      others: request.others,
    };
    for (const [name, value] of Object.entries(request.controls)) this.set(name, value);
  }

  #check(status: unknown, what: string): void {
    if (numberOf(status) < 0) throw new Error(`${what} failed with status ${numberOf(status)}`);
  }

  /** Has the library call `take` with each image of this many bytes. The image is the library's, until `take` returns. */
  #listen(set: Api["setDepthCallback"], bytes: number, take: (data: Uint8Array, ticks: number) => void): void {
    const callback = this.ffi.callback(CALLBACK, (_, data, ticks) => {
      take(this.ffi.view(data as bigint, bytes), numberOf(ticks));
    });
    this.#callbacks.push(callback);
    set(this.device, callback.address);
  }

  #depth(data: Uint8Array, ticks: number): void {
    if (ticks < this.#ticks - TURN / 2) this.#turns++;
    this.#ticks = ticks;
    const values = this.#spare.pop() ?? new Uint16Array(MODE.width * MODE.height);
    this.#images.depth(data, values);
    const [rgb, grey] = [this.#rgb, this.#grey].map((image) => image && besideOf(image, ticks));
    this.#come.push({
      stampMs: (this.#turns * TURN + ticks) / TICKS_PER_MS,
      number: this.#number++,
      depth: new Uint8Array(values.buffer),
      color: rgb && this.#images.color(rgb, values),
      ...(grey && { infrared: { ...GREY, bytes: grey } }),
      release: () => void this.#spare.push(values),
    });
  }

  async next(): Promise<Shot | undefined> {
    this.#check(await this.api.process.async(this.context, this.#wait), "reading");
    // If several came, only the newest image counts: the others waited while this process was busy.
    const newest = this.#come.pop();
    for (const old of this.#come.splice(0)) old.release();
    if (newest) this.#silentSinceMs = performance.now();
    else if (performance.now() - this.#silentSinceMs > PATIENCE * WAIT_MS)
      throw new Error("it gives no frame any more; it was unplugged, or has no power");
    return newest;
  }

  set(name: string, value: number): void {
    checkControl("camera:freenect", this.state.controls, name, value);
    this.#check(this.api.setTilt(this.device, value), "tilting");
    Object.assign(this.state, { controls: [{ ...TILT, value }] });
  }

  close(): void {
    const { api, device } = this;
    if (this.request.color || this.request.infrared) api.stopVideo(device);
    api.stopDepth(device);
    api.closeDevice(device);
    for (const callback of this.#callbacks) callback.release();
  }
}

/** An image of colour or infrared, and the device's clock. */
interface Video {
  readonly data: Uint8Array;
  readonly ticks: number;
}

/** An image beside depth of the given time; `undefined` if it is of another time. The subtraction in 32 bits bridges the clock's turn. */
const besideOf = ({ data, ticks }: Video, depthTicks: number): Uint8Array | undefined =>
  Math.abs((depthTicks - ticks) | 0) <= BESIDE_MS * TICKS_PER_MS ? data : undefined;

const FREENECT: Vendor = {
  driver: "freenect",
  title: "libfreenect",
  stem: "freenect",
  install: {
    linux: "apt install libfreenect-bin (Debian, Ubuntu)",
    darwin: "brew install libfreenect",
    win32: "build libfreenect 0.5 or newer, with its udev rule or driver (openkinect.org)",
  },
};

/** libfreenect's own stand-in for itself, which plays what its program `fakenect-record` recorded. */
const FAKENECT: Vendor = { ...FREENECT, title: "libfreenect's fakenect", folder: "fakenect" };

/** freenect_frame_mode */
interface FrameMode {
  readonly width: number;
  readonly height: number;
  readonly framerate: number;
  readonly is_valid: number;
}

const CALLBACK = "void depthloom_frame(void *device, void *data, uint32_t timestamp)";

const PROTOTYPES = {
  init: "int freenect_init(void *context, void *usb)",
  shutdown: "int freenect_shutdown(void *context)",
  setLogLevel: "void freenect_set_log_level(void *context, int level)",
  selectSubdevices: "void freenect_select_subdevices(void *context, int which)",
  count: "int freenect_num_devices(void *context)",
  open: "int freenect_open_device(void *context, void *device, int index)",
  openSerial: "int freenect_open_device_by_camera_serial(void *context, void *device, const char *serial)",
  closeDevice: "int freenect_close_device(void *device)",
  findDepthMode: "freenect_frame_mode freenect_find_depth_mode(int resolution, int format)",
  findVideoMode: "freenect_frame_mode freenect_find_video_mode(int resolution, int format)",
  setDepthMode: "int freenect_set_depth_mode(void *device, freenect_frame_mode mode)",
  setVideoMode: "int freenect_set_video_mode(void *device, freenect_frame_mode mode)",
  setDepthCallback: "void freenect_set_depth_callback(void *device, void *callback)",
  setVideoCallback: "void freenect_set_video_callback(void *device, void *callback)",
  startDepth: "int freenect_start_depth(void *device)",
  startVideo: "int freenect_start_video(void *device)",
  stopDepth: "int freenect_stop_depth(void *device)",
  stopVideo: "int freenect_stop_video(void *device)",
  process: "int freenect_process_events_timeout(void *context, void *timeout)",
  setTilt: "int freenect_set_tilt_degs(void *device, double degrees)",
} as const;

/** The functions of libfreenect, 0.5 or newer. */
type Api = Calls<typeof PROTOTYPES> & { readonly loaded: Loaded };

/** Binds the functions. Throws a `SourceError` where the library lacks one of the functions, since it is older than 0.5. */
function bind(ffi: Ffi, loaded: Loaded): Api {
  ffi.struct("freenect_frame_mode", {
    reserved: "uint32_t",
    resolution: "int",
    format: "int32_t",
    bytes: "int32_t",
    width: "int16_t",
    height: "int16_t",
    data_bits_per_pixel: "int8_t",
    padding_bits_per_pixel: "int8_t",
    framerate: "int8_t",
    is_valid: "int8_t",
  });
  return { ...bindAll(loaded, PROTOTYPES), loaded };
}
