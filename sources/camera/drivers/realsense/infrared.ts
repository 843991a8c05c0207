import type { Mode, Shot } from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { Beside } from "./beside.ts";
import type { SensorStream } from "./stream.ts";
import { dataOf, FORMAT, type Profile, STREAM } from "./streams.ts";

/** The depth sensor's stream of infrared images of depth's size and rate; of a stereo camera the left eye's, which sees what depth sees. */
export function infraredOf(api: Api, streams: readonly Profile[], depth: Mode): Profile | undefined {
  const alike = ({ stream, format, width, height, fps }: Profile) =>
    stream === STREAM.infrared &&
    format === FORMAT.y8 &&
    width === depth.width &&
    height === depth.height &&
    fps === depth.fps;
  const index = ({ pointer }: Profile) => dataOf(api, pointer)[2];
  return streams.filter(alike).sort((a, b) => index(a) - index(b))[0];
}

/** The depth sensor's infrared images, which come in the same queue as its depth. */
export class Infrared {
  readonly #beside: Beside;
  /** The newest depth that came while an infrared image was looked for; 0n if there is none. */
  #early = 0n;

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly depth: SensorStream,
    readonly profile: Profile,
  ) {
    this.#beside = new Beside(api, () => this.#poll(), profile.fps);
  }

  /** The next frame of depth; 0n where none came within `ms`. */
  async waitFor(ms: number): Promise<bigint> {
    for (const until = performance.now() + ms; ; ) {
      const left = Math.max(0, Math.ceil(until - performance.now()));
      const frame = this.#early || (await this.api.waitFor(this.depth.queue, left));
      this.#early = 0n;
      if (frame === 0n || !this.#isInfrared(frame)) return frame;
      this.#beside.add(frame);
    }
  }

  /** The image that belongs to depth of a time. */
  async of(stampMs: number): Promise<Shot["infrared"]> {
    const frame = await this.#beside.at(stampMs);
    const { width, height } = this.profile;
    if (frame === undefined || numberOf(this.api.frameBytes(frame)) !== width * height) return undefined;
    // A copy, since a later image may take this one's place while the frame is being sent.
    const bytes = this.ffi.view(pointerOf(this.api.frameData(frame)), width * height).slice();
    return { width, height, bits: 8, from: "Infrared 1", bytes };
  }

  #poll(): bigint {
    for (let frame = this.depth.poll(); frame !== 0n; frame = this.depth.poll()) {
      if (this.#isInfrared(frame)) return frame;
      if (this.#early !== 0n) this.api.freeFrame(this.#early);
      this.#early = frame;
    }
    return 0n;
  }

  #isInfrared(frame: bigint): boolean {
    return dataOf(this.api, pointerOf(this.api.frameProfile(frame)))[0] === STREAM.infrared;
  }

  close(): void {
    if (this.#early !== 0n) this.api.freeFrame(this.#early);
    this.#early = 0n;
    this.#beside.close();
  }
}
