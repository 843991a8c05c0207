import type { Mode, Shot } from "../../../live/driver.ts";
import { type Found, placedPair, summaryOf, TOGETHER_MS } from "../../../messages/pair.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { Beside } from "./beside.ts";
import type { SensorStream } from "./stream.ts";
import { dataOf, extrinsicsOf, FORMAT, lensOf, type Profile, STREAM } from "./streams.ts";

const indexOf = (api: Api, { pointer }: Profile): number => dataOf(api, pointer)[2];
const nameOf = (api: Api, profile: Profile): string => `Infrared ${indexOf(api, profile) || 1}`;

/**
 * The depth sensor's streams of infrared images of depth's size and rate, by their indices: first that of a stereo camera's left eye, which
 * sees what depth sees.
 */
export function infraredOf(api: Api, streams: readonly Profile[], depth: Mode): readonly Profile[] {
  const alike = ({ stream, format, width, height, fps }: Profile) =>
    stream === STREAM.infrared &&
    format === FORMAT.y8 &&
    width === depth.width &&
    height === depth.height &&
    fps === depth.fps;
  return streams.filter(alike).sort((a, b) => indexOf(api, a) - indexOf(api, b));
}

/** The pair of the first two infrared streams, and what people are told of them; without `found` that is why they are none. */
export function pairOf(api: Api, [left, right]: readonly Profile[]): { found?: Found; summary: string } {
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
export class Infrared {
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

  /** The images that belong to depth of a time: of a pair both or none. */
  async of(stampMs: number): Promise<Pick<Shot, "infrared" | "right">> {
    const frames: (bigint | undefined)[] = [];
    for (const { beside } of this.#eyes) frames.push(await beside.at(stampMs));
    const [left, right] = frames.map((frame) => this.#imageOf(frame));
    const [profile] = this.profiles;
    if (!left || !profile) return {};
    const { width, height } = profile;
    const infrared = { width, height, bits: 8, from: nameOf(this.api, profile), bytes: left } as const;
    if (!right || !this.pair || !frames.every((frame) => this.#isOf(frame, stampMs))) return { infrared };
    const { baselineM, doffsPx } = this.pair;
    return { infrared, right: { bytes: right, baselineM, ...(doffsPx !== undefined && { doffsPx }) } };
  }

  /** A copy of an image, since a later one may take its place while the frame is being sent. */
  #imageOf(frame: bigint | undefined): Uint8Array | undefined {
    const bytes = this.depth.profile.width * this.depth.profile.height;
    if (frame === undefined || numberOf(this.api.frameBytes(frame)) !== bytes) return undefined;
    return this.ffi.view(pointerOf(this.api.frameData(frame)), bytes).slice();
  }

  #isOf(frame: bigint | undefined, stampMs: number): boolean {
    return frame !== undefined && Math.abs(numberOf(this.api.frameTime(frame)) - stampMs) <= TOGETHER_MS;
  }

  /** The next image of an eye that has come. What comes before it is kept: the other eye's images, and the newest depth. */
  #poll(eye: number): bigint {
    for (let frame = this.depth.poll(); frame !== 0n; frame = this.depth.poll()) {
      if (this.#eyeOf(frame) === eye) return frame;
      if (this.#keeps(frame)) continue;
      if (this.#early !== 0n) this.api.freeFrame(this.#early);
      this.#early = frame;
    }
    return 0n;
  }

  /** Keeps an infrared image; false if the frame is none. */
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
