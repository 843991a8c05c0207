import { SourceError } from "../../../../core/source.ts";
import { checkControl } from "../../../live/controls.ts";
import {
  type Camera,
  type CameraRequest,
  type CameraState,
  type Mode,
  type Shot,
  WAIT_MS,
} from "../../../live/driver.ts";
import { type Found, placedPair, summaryOf, TOGETHER_MS } from "../../../messages/pair.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { Beside } from "./beside.ts";
import { Colors } from "./colors.ts";
import {
  controlsOf,
  infoOf,
  measuresDepth,
  modesIn,
  sensorsOf,
  setControl,
  streamsOf,
  temperaturesOf,
  unitOf,
  withDevices,
} from "./device.ts";
import { SensorStream } from "./stream.ts";
import { dataOf, extrinsicsOf, FORMAT, lensOf, type Profile, STREAM } from "./streams.ts";

const USUAL = { width: 640, height: 480, fps: 30 };
const DEPTH = { stream: STREAM.depth, format: FORMAT.z16 };
const COLOR = { stream: STREAM.color, format: FORMAT.rgb8 };
/** rs2_timestamp_domain */
const CLOCKS = ["the device's clock", "this computer's clock", "the device's clock, fitted to this computer's"];
/** rs2_frame_metadata_value: what a camera notes about a frame, by the names that the vendor's recordings have for it. */
const METADATA = [
  [0, "Frame Counter"],
  [3, "Actual Exposure"],
  [4, "Gain Level"],
  [5, "Auto Exposure"],
  [7, "Time Of Arrival"],
  [8, "Temperature"],
  [11, "Frame Laser Power"],
  [12, "Frame Laser Power Mode"],
] as const;
/** How long measured temperatures are given to further frames, ms: asking the camera for them takes some time. */
const TEMPERATURE_MS = 5000;
/** A device that gives no frame for this many waits is looked for among those plugged in. */
const PATIENCE = 8;

/** The streams of a device that is plugged in, or of a recording that librealsense plays as a device. */
export class RealSenseCamera implements Camera {
  readonly state: CameraState;
  readonly #sensors: readonly bigint[];
  readonly #depth: SensorStream;
  readonly #colors: Colors | undefined;
  /** Keeps the profiles of the depth sensor. */
  readonly #list: bigint;
  readonly #infrared: Infrared | undefined;
  #temperatures: NonNullable<Shot["metadata"]> = [];
  #temperaturesMs = -Infinity;
  #silent = 0;

  /** The camera runs only after `start`. */
  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly context: bigint,
    readonly device: bigint,
    readonly request: CameraRequest,
  ) {
    const { size, fps, color } = request;
    this.#sensors = sensorsOf(api, device);
    const wish = { exact: { ...size, ...(fps && { fps }) }, usual: USUAL };
    const measuring = this.#sensors.find((sensor) => measuresDepth(api, sensor));
    const depth = measuring === undefined ? undefined : SensorStream.of(api, measuring, DEPTH, wish);
    if (!depth) throw new SourceError(this.#whyNone(measuring));
    this.#depth = depth;
    const nearBy = { exact: {}, usual: depth.profile };
    const coloured = color ? this.#sensors.filter((sensor) => sensor !== depth.sensor) : [];
    const [stream] = coloured.flatMap((sensor) => SensorStream.of(api, sensor, COLOR, nearBy) ?? []);
    this.#colors = stream && new Colors(api, ffi, stream, depth);
    const { list, found: depths, all } = streamsOf(api, depth.sensor, DEPTH.stream, DEPTH.format);
    const infrared = infraredOf(api, all, depth.profile);
    const pair = request.pair ? pairOf(api, infrared) : undefined;
    const eyes = infrared.slice(0, pair?.found ? 2 : request.infrared ? 1 : 0);
    this.#infrared = eyes.length > 0 ? new Infrared(api, ffi, depth, eyes, pair?.found) : undefined;
    this.state = {
      info: infoOf(api, device),
      fps: depth.profile.fps,
      metresPerUnit: unitOf(api, depth.sensor),
      intrinsics: lensOf(api, depth.profile.pointer),
      clock: CLOCKS[0] ?? "",
      notes: [this.#colors?.text ?? "none"],
      modes: modesIn(depths),
      controls: controlsOf(api, depth.sensor),
      library: `librealsense ${api.version}, ${api.path}`,
      infrared: infrared.length > 0,
      pair: pair?.summary,
    };
    this.#list = list;
  }

  /** Sets the controls that were asked for, and starts the streams. */
  start(): void {
    for (const [name, value] of Object.entries(this.request.controls)) this.set(name, value);
    const streams = [this.#depth, ...(this.#colors ? [this.#colors.stream] : [])];
    this.#depth.open(this.#infrared?.profiles);
    this.#colors?.stream.open();
    for (const stream of streams) stream.start();
  }

  async next(): Promise<Shot | undefined> {
    const frame = await (this.#infrared?.waitFor(WAIT_MS) ?? this.api.waitFor(this.#depth.queue, WAIT_MS));
    if (frame !== 0n) {
      this.#silent = 0;
      return this.#shot(frame);
    }
    if (++this.#silent % PATIENCE === 0) this.#look();
    return undefined;
  }

  async #shot(frame: bigint): Promise<Shot | undefined> {
    const { api, ffi, state } = this;
    const release = () => void api.freeFrame(frame);
    const depth = ffi.view(pointerOf(api.frameData(frame)), numberOf(api.frameBytes(frame)));
    const { width, height } = state.intrinsics;
    if (depth.length !== 2 * width * height) {
      release();
      return undefined;
    }
    const stampMs = numberOf(api.frameTime(frame));
    Object.assign(state, { clock: CLOCKS[numberOf(api.frameClock(frame))] ?? "a clock that it does not name" });
    const color = await this.#colors?.of(depth, stampMs, state.metresPerUnit);
    const seen = await this.#infrared?.of(stampMs);
    const noted = METADATA.filter(([which]) => numberOf(api.hasMetadata(frame, which)) !== 0).map(
      ([which, name]) => [name, `${numberOf(api.metadata(frame, which))}`] as const,
    );
    const metadata = [...noted, ...this.#temperaturesAt(performance.now())];
    const number = numberOf(api.frameNumber(frame));
    return { stampMs, number, depth, color, ...(metadata.length > 0 && { metadata }), ...seen, release };
  }

  #temperaturesAt(nowMs: number): NonNullable<Shot["metadata"]> {
    if (nowMs - this.#temperaturesMs < TEMPERATURE_MS) return this.#temperatures;
    this.#temperaturesMs = nowMs;
    this.#temperatures = temperaturesOf(this.api, this.#depth.sensor);
    return this.#temperatures;
  }

  set(name: string, value: number): void {
    checkControl("camera:realsense", this.state.controls, name, value);
    setControl(this.api, this.#depth.sensor, name, value);
    // A preset changes other controls, too.
    Object.assign(this.state, { controls: controlsOf(this.api, this.#depth.sensor) });
  }

  close(): void {
    this.#colors?.close();
    this.#colors?.stream.close();
    this.#infrared?.close();
    this.#depth.close();
    this.api.freeProfiles(this.#list);
    for (const sensor of this.#sensors) this.api.freeSensor(sensor);
  }

  /** Throws if the camera is not among those plugged in. A recording is never among them. */
  #look(): void {
    const { id } = this.state.info;
    const there = withDevices(this.api, this.context, (device) => infoOf(this.api, device).id);
    if (!there.includes(id)) throw new Error("it was unplugged");
  }

  #whyNone(sensor: bigint | undefined): string {
    const { size, fps, which = "" } = this.request;
    const name = `camera:realsense${which && ":"}${which}`;
    if (sensor === undefined)
      return `${name}: this device has no depth sensor; choose another one by its serial number`;
    const { found } = streamsOf(this.api, sensor, DEPTH.stream, DEPTH.format);
    const modes = modesIn(found).map((mode) => `${mode.width}x${mode.height} at ${mode.fps}`);
    const asked = [size && `${size.width}x${size.height}`, fps && `${fps} per second`].filter(Boolean).join(", ");
    return `${name}: it does not measure depth at ${asked}; it does at ${modes.join(", ") || "no size"}`;
  }
}

const indexOf = (api: Api, { pointer }: Profile): number => dataOf(api, pointer)[2];
const nameOf = (api: Api, profile: Profile): string => `Infrared ${indexOf(api, profile) || 1}`;

/**
 * The depth sensor's streams of infrared images of depth's size and rate, by their indices: first that of a stereo camera's left eye, which
 * sees what depth sees.
 */
function infraredOf(api: Api, streams: readonly Profile[], depth: Mode): readonly Profile[] {
  const alike = ({ stream, format, width, height, fps }: Profile) =>
    stream === STREAM.infrared &&
    format === FORMAT.y8 &&
    width === depth.width &&
    height === depth.height &&
    fps === depth.fps;
  return streams.filter(alike).sort((a, b) => indexOf(api, a) - indexOf(api, b));
}

/** The pair that the first two infrared streams make, and a text about it for people; without `found` it says why they are no pair. */
function pairOf(api: Api, [left, right]: readonly Profile[]): { found?: Found; summary: string } {
  if (!left || !right) return { summary: "none: the camera gives no two infrared images of depth's size and rate" };
  const [one, other] = [left, right].map((profile) => {
    const [name, lens] = [nameOf(api, profile), lensOf(api, profile.pointer)];
    return { name, lens, camera: { topic: name, frameId: name, intrinsics: lens } };
  });
  const found = placedPair(one, other, extrinsicsOf(api, left.pointer, right.pointer));
  if (typeof found !== "object") return { summary: `none: ${found ?? `${other.name} is not right of ${one.name}`}` };
  return { found, summary: summaryOf(one.name, other.name, found.baselineM, false) };
}

/** The depth sensor's infrared images of one eye or of both, which come in the same queue as its depth. */
class Infrared {
  readonly #eyes: readonly { readonly index: number; readonly beside: Beside }[];
  /** The newest depth that came while an infrared image was looked for; 0n if there is none. */
  #early = 0n;

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly depth: SensorStream,
    /** The streams: one, or the two of `pair`. */
    readonly profiles: readonly Profile[],
    readonly pair?: Found,
  ) {
    this.#eyes = profiles.map((profile, eye) => ({
      index: indexOf(api, profile),
      beside: new Beside(api, () => this.#poll(eye), profile.fps),
    }));
  }

  /** The next frame of depth; 0n where none came within `ms`. */
  async waitFor(ms: number): Promise<bigint> {
    for (const until = performance.now() + ms; ; ) {
      const left = Math.max(0, Math.ceil(until - performance.now()));
      const frame = this.#early || (await this.api.waitFor(this.depth.queue, left));
      this.#early = 0n;
      if (frame === 0n || !this.#keeps(frame)) return frame;
    }
  }

  /** The infrared images taken with the depth of `stampMs`: of a pair both, or none. */
  async of(stampMs: number): Promise<Pick<Shot, "infrared" | "right">> {
    const eyes: { readonly bytes: Uint8Array | undefined; readonly isOf: boolean }[] = [];
    for (const { beside } of this.#eyes) eyes.push(this.#copyOf(await beside.at(stampMs), stampMs));
    const [left, right] = eyes.map(({ bytes }) => bytes);
    const [profile] = this.profiles;
    if (!left || !profile) return {};
    const { width, height } = profile;
    const infrared = { width, height, bits: 8, from: nameOf(this.api, profile), bytes: left } as const;
    if (!right || !this.pair || !eyes.every(({ isOf }) => isOf)) return { infrared };
    const { baselineM, doffsPx } = this.pair;
    return { infrared, right: { bytes: right, baselineM, ...(doffsPx !== undefined && { doffsPx }) } };
  }

  /** A copy of an image, which looking for the other eye's may free, and whether it was taken with the depth of `stampMs`. */
  #copyOf(frame: bigint | undefined, stampMs: number) {
    const length = this.depth.profile.width * this.depth.profile.height;
    const isWhole = frame !== undefined && numberOf(this.api.frameBytes(frame)) === length;
    const bytes = isWhole ? this.ffi.view(pointerOf(this.api.frameData(frame)), length).slice() : undefined;
    return { bytes, isOf: isWhole && Math.abs(numberOf(this.api.frameTime(frame)) - stampMs) <= TOGETHER_MS };
  }

  /** Returns the next image of an eye that has arrived. Keeps the other eye's images and the newest depth that arrived before it. */
  #poll(eye: number): bigint {
    for (let frame = this.depth.poll(); frame !== 0n; frame = this.depth.poll()) {
      if (this.#eyeOf(frame) === eye) return frame;
      if (this.#keeps(frame)) continue;
      if (this.#early !== 0n) this.api.freeFrame(this.#early);
      this.#early = frame;
    }
    return 0n;
  }

  /** Keeps an infrared image; returns false if the frame is no infrared image. */
  #keeps(frame: bigint): boolean {
    const eye = this.#eyes[this.#eyeOf(frame)];
    eye?.beside.add(frame);
    return eye !== undefined;
  }

  /** The eye that an image is of; −1 for depth. */
  #eyeOf(frame: bigint): number {
    const [stream, , index] = dataOf(this.api, pointerOf(this.api.frameProfile(frame)));
    return stream === STREAM.infrared ? this.#eyes.findIndex((eye) => eye.index === index) : -1;
  }

  close(): void {
    if (this.#early !== 0n) this.api.freeFrame(this.#early);
    this.#early = 0n;
    for (const { beside } of this.#eyes) beside.close();
  }
}
