import { SourceError } from "../../../../core/source.ts";
import { packedColor } from "../../../decode/pixels.ts";
import { checkControl } from "../../../live/controls.ts";
import {
  type Camera,
  type CameraRequest,
  type CameraState,
  type Control,
  type Driver,
  type Shot,
  WAIT_MS,
} from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { SearchPlace } from "../../ffi/find.ts";
import { loadVendor } from "../../ffi/loading.ts";
import { type Api, bind, OPENNI, TIMED_OUT } from "./api.ts";
import {
  BYTES,
  infoOf,
  lensOf,
  listed,
  modeOf,
  modesOf,
  PIXELS,
  type PixelMode,
  SENSOR,
  STREAM,
  setMode,
} from "./device.ts";

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
      const first = listed(api, ffi).find(({ id }) => !request.others?.includes(id));
      if (request.which === undefined && !first) throw new SourceError("camera:openni: no camera is plugged in");
      return new OpenniCamera(api, ffi, request, request.others && first?.id);
    },
    close: () => void api.shutdown(),
  };
}

const USUAL = { width: 640, height: 480, fps: 30 };
/** Properties of devices. */
const REGISTRATION = 5;
/** OniFrame */
const FRAME_BYTES = 80;
/** After this many waits without a frame the driver looks whether the device is still plugged in. */
const PATIENCE = 8;
const CONTROLS = { "auto-exposure": STREAM.autoExposure, exposure: STREAM.exposure, gain: STREAM.gain } as const;

interface Second {
  readonly stream: bigint;
  readonly mode: PixelMode;
}

/** An open OpenNI camera, or an .oni that OpenNI plays as one, again and again. */
class OpenniCamera implements Camera {
  readonly state: CameraState;
  readonly #device: bigint;
  readonly #depth: bigint;
  /** The stream beside depth: colour, or infrared. */
  readonly #second: Second | undefined;
  /** The newest image of that stream, and its time in ms. */
  #newest: { readonly data: Uint8Array; readonly stampMs: number } | undefined;
  #silent = 0;

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly request: CameraRequest,
    /** The camera to open where the request names none; the first one if absent. */
    first: string | undefined,
  ) {
    const { which = first } = request;
    const found = new BigUint64Array(1);
    api.check(api.openDevice(which ?? null, found), `opening ${which ?? "a camera"}`);
    this.#device = found[0] ?? 0n;
    const info = infoOf(api, this.#device);
    this.#depth = this.#stream(SENSOR.depth, "depth");
    const modes = modesOf(api, ffi, this.#device, SENSOR.depth).filter(
      ({ pixels }) => pixels === PIXELS.mm || pixels === PIXELS.tenths,
    );
    // A recording has the one mode in which it was recorded.
    if (!this.#isPlayed) this.#choose(modes);
    const mode = modeOf(api, this.#depth);
    if (mode.pixels !== PIXELS.mm && mode.pixels !== PIXELS.tenths)
      throw new SourceError(
        `${this.#name}: its depth is in the sensor's own values, not in millimetres; record it in mm`,
      );
    const grey = this.#greyMode(mode);
    const none: [undefined, string] = [undefined, "none"];
    // These cameras have one stream for colour and infrared.
    const [second, note] =
      grey && request.infrared ? this.#openInfrared(grey) : request.color ? this.#openColor(mode) : none;
    this.#second = second;
    this.state = {
      info,
      fps: mode.fps,
      metresPerUnit: mode.pixels === PIXELS.tenths ? 0.0001 : 0.001,
      intrinsics: lensOf(api, this.#depth, mode),
      clock: "the device's clock",
      notes: [note],
      modes: modes.map(({ width, height, fps }) => ({ width, height, fps })),
      controls: this.#controls(),
      library: `OpenNI ${api.version}, ${api.path}`,
      infrared: grey !== undefined,
      others: listed(api, ffi).flatMap(({ id }) => (id === info.id ? [] : id)),
    };
    for (const [name, value] of Object.entries(request.controls)) this.set(name, value);
    api.check(api.start(this.#depth), "starting depth");
    if (second) api.check(api.start(second.stream), "starting the stream beside depth");
  }

  get #name(): string {
    const { which } = this.request;
    return `camera:openni${which === undefined ? "" : `:${which}`}`;
  }

  get #isPlayed(): boolean {
    return /\.oni$/i.test(this.request.which ?? "");
  }

  #stream(sensor: number, what: string): bigint {
    const stream = new BigUint64Array(1);
    this.api.check(this.api.createStream(this.#device, sensor, stream), `opening ${what}`);
    return stream[0] ?? 0n;
  }

  #choose(modes: readonly PixelMode[]): void {
    const { size, fps } = this.request;
    const wanted = { ...USUAL, ...size, fps: fps ?? USUAL.fps };
    const same = (mode: PixelMode) =>
      mode.width === wanted.width && mode.height === wanted.height && mode.fps === wanted.fps;
    const mode = modes.find((one) => same(one) && one.pixels === PIXELS.mm) ?? modes.find(same);
    if (mode) setMode(this.api, this.#depth, mode);
    else if (size || fps) {
      const list = modes.map(({ width, height, fps }) => `${width}x${height} at ${fps}`).join(", ");
      throw new SourceError(
        `${this.#name}: it does not measure ${wanted.width}x${wanted.height} at ${wanted.fps}; it does ${list}`,
      );
    }
    this.#unmirror(this.#depth);
  }

  /** These cameras mirror their images unless they are told not to. */
  #unmirror(stream: bigint): void {
    if (numberOf(this.api.hasProperty(stream, STREAM.mirroring)) !== 0)
      this.api.setProperty(stream, STREAM.mirroring, new Int32Array([0]), 4);
  }

  /** The mode in which the camera gives infrared images of depth's size. */
  #greyMode(depth: PixelMode): PixelMode | undefined {
    return modesOf(this.api, this.ffi, this.#device, SENSOR.infrared).find(
      ({ pixels, width, height }) =>
        (pixels === PIXELS.grey8 || pixels === PIXELS.grey16) && width === depth.width && height === depth.height,
    );
  }

  #openInfrared(mode: PixelMode): [Second, note: string] {
    const stream = this.#stream(SENSOR.infrared, "infrared");
    if (!this.#isPlayed) {
      setMode(this.api, stream, mode);
      this.#unmirror(stream);
    }
    return [{ stream, mode }, "none beside infrared"];
  }

  /** Opens colour of depth's size, if the camera registers depth to colour. A recording's colour counts as registered. */
  #openColor(depth: PixelMode): [Second | undefined, note: string] {
    const { api, ffi } = this;
    const modes = modesOf(api, ffi, this.#device, SENSOR.color);
    const mode = modes.find(
      ({ pixels, width, height }) => pixels === PIXELS.rgb && width === depth.width && height === depth.height,
    );
    if (!mode) return [undefined, "none of depth's size"];
    if (this.#isPlayed)
      return [{ stream: this.#stream(SENSOR.color, "colour"), mode }, "as it was recorded, taken for registered"];
    if (numberOf(api.canRegister(this.#device, 1)) === 0)
      return [undefined, "none: the camera cannot register depth to it"];
    const stream = this.#stream(SENSOR.color, "colour");
    setMode(api, stream, mode);
    api.check(api.setDevice(this.#device, REGISTRATION, new Int32Array([1]), 4), "registering depth to colour");
    this.#unmirror(stream);
    return [{ stream, mode }, "registered by the camera"];
  }

  /** The controls of the stream beside depth: OpenNI has none of depth. */
  #controls(): readonly Control[] {
    const stream = this.#second?.stream;
    if (stream === undefined) return [];
    return Object.entries(CONTROLS).flatMap(([name, property]) => {
      const value = new Int32Array(1);
      if (numberOf(this.api.hasProperty(stream, property)) === 0) return [];
      if (numberOf(this.api.property(stream, property, value, new Int32Array([4]))) !== 0) return [];
      return [{ name, value: value[0] ?? 0, least: 0, most: property === STREAM.autoExposure ? 1 : 65_535 }];
    });
  }

  async next(): Promise<Shot | undefined> {
    const at = await this.#read(this.#depth, WAIT_MS);
    if (at === undefined) {
      if (++this.#silent % PATIENCE === 0 && !this.#isPlayed) this.#look();
      return undefined;
    }
    this.#silent = 0;
    const { data, stampMs, number } = this.#frame(at);
    const release = () => void this.api.freeFrame(at);
    const { width, height } = this.state.intrinsics;
    if (data.length === 2 * width * height) {
      const beside = await this.#secondAt(stampMs);
      const pixels = this.#second?.mode.pixels;
      if (pixels === PIXELS.rgb || !beside) return { stampMs, number, depth: data, color: beside, release };
      const form = { width, height, bits: pixels === PIXELS.grey16 ? 16 : 8, from: "infrared" } as const;
      return { stampMs, number, depth: data, infrared: { ...form, bytes: beside }, release };
    }
    release();
    return undefined;
  }

  /** Waits on another thread for a stream's next frame; `undefined` where none came within `ms`. */
  async #read(stream: bigint, ms: number): Promise<bigint | undefined> {
    const { api } = this;
    const status = numberOf(await api.wait.async(new BigUint64Array([stream]), 1, new Int32Array(1), ms));
    if (status === TIMED_OUT) return undefined;
    api.check(status, "waiting for a frame");
    const frame = new BigUint64Array(1);
    api.check(api.read(stream, frame), "reading a frame");
    return pointerOf(frame[0]);
  }

  /** An OniFrame: where its bytes are, its time in ms, its number. */
  #frame(at: bigint) {
    const bytes = this.ffi.view(at, FRAME_BYTES);
    const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_BYTES);
    const data = this.ffi.view(view.getBigUint64(8, true), view.getInt32(0, true));
    return { data, stampMs: Number(view.getBigUint64(24, true)) / 1000, number: view.getInt32(32, true) };
  }

  /** The image beside depth that belongs to a time. The image may come after the depth, so this waits half a frame's time at most. */
  async #secondAt(stampMs: number): Promise<Uint8Array | undefined> {
    if (!this.#second) return undefined;
    const { stream, mode } = this.#second;
    const { width, height, pixels } = mode;
    const length = BYTES[pixels] * width * height;
    const frameMs = 1000 / this.state.fps;
    const apart = () => (this.#newest?.stampMs ?? Number.NEGATIVE_INFINITY) - stampMs;
    for (const until = performance.now() + frameMs / 2; Math.abs(apart()) > frameMs / 2; ) {
      const left = Math.ceil(until - performance.now());
      const at = left > 0 ? await this.#read(stream, left) : undefined;
      if (at === undefined) break;
      const { data, stampMs: own } = this.#frame(at);
      const image = data.subarray(0, length);
      if (image.length === length) {
        const kept = pixels === PIXELS.rgb ? packedColor("rgb8", image, width, height, "colour") : image.slice();
        this.#newest = { data: kept, stampMs: own };
      }
      this.api.freeFrame(at);
    }
    return Math.abs(apart()) <= frameMs ? this.#newest?.data : undefined;
  }

  /** Throws if the camera is not among those plugged in. */
  #look(): void {
    if (!listed(this.api, this.ffi).some(({ id }) => id === this.state.info.id)) throw new Error("it was unplugged");
  }

  set(name: string, value: number): void {
    checkControl("camera:openni", this.state.controls, name, value);
    const property = CONTROLS[name as keyof typeof CONTROLS];
    const stream = this.#second?.stream ?? 0n;
    this.api.check(this.api.setProperty(stream, property, new Int32Array([value]), 4), `setting ${name}`);
    Object.assign(this.state, { controls: this.#controls() });
  }

  close(): void {
    const { api } = this;
    for (const stream of [this.#depth, ...(this.#second ? [this.#second.stream] : [])]) {
      api.stop(stream);
      api.destroyStream(stream);
    }
    api.closeDevice(this.#device);
  }
}
