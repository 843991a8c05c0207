import { type Registration, registration } from "../../../calibration/register.ts";
import { rawToRgba } from "../../../decode/rawColor.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import type { SensorStream } from "./stream.ts";
import { extrinsicsOf, lensOf } from "./streams.ts";

/** How often, in ms, colour is looked for while depth waits for it. */
const LOOK_MS = 2;
/** Colour older than this, in ms, is another scene's. */
const OLDEST_MS = 1000;

/** The colour camera beside depth: finds the image that belongs to a frame of depth, and registers it. */
export class Colors {
  readonly text: string;
  readonly #tables: Registration;
  readonly #width: number;
  readonly #height: number;
  /** The last two images, the newer one last. */
  #frames: { readonly frame: bigint; readonly stampMs: number }[] = [];

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly stream: SensorStream,
    depth: SensorStream,
  ) {
    const lens = lensOf(api, stream.profile.pointer);
    const between = extrinsicsOf(api, depth.profile.pointer, stream.profile.pointer);
    this.#tables = registration(lensOf(api, depth.profile.pointer), lens, between);
    this.#width = lens.width;
    this.#height = lens.height;
    this.text = `${lens.width}×${lens.height}, registered by the lenses and the extrinsics that the driver tells`;
  }

  /**
   * The colour of a frame of depth, registered to it. The two cameras run side by side, so the image that belongs to the frame may come
   * after it: it is waited for, for half a frame's time at most.
   */
  async of(depth: Uint8Array, stampMs: number, metresPerUnit: number): Promise<Uint8Array | undefined> {
    const halfMs = 500 / this.stream.profile.fps;
    const until = performance.now() + halfMs;
    this.#take();
    while (!((this.#frames.at(-1)?.stampMs ?? -Infinity) >= stampMs - halfMs) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      this.#take();
    }
    const [nearest] = this.#frames
      .map((one) => ({ ...one, apart: Math.abs(one.stampMs - stampMs) }))
      .sort((a, b) => a.apart - b.apart);
    if (!nearest || nearest.apart > OLDEST_MS) return undefined;
    const rgb = this.ffi.view(
      pointerOf(this.api.frameData(nearest.frame)),
      numberOf(this.api.frameBytes(nearest.frame)),
    );
    if (rgb.length !== 3 * this.#width * this.#height) return undefined;
    const values = new Uint16Array(depth.buffer, depth.byteOffset, depth.length >> 1);
    return this.#tables.register(values, metresPerUnit, rawToRgba("rgb", rgb, this.#width, this.#height).data);
  }

  #take(): void {
    for (let frame = this.stream.poll(); frame !== 0n; frame = this.stream.poll()) {
      this.#frames.push({ frame, stampMs: numberOf(this.api.frameTime(frame)) });
      const old = this.#frames.length > 2 ? this.#frames.shift() : undefined;
      if (old) this.api.freeFrame(old.frame);
    }
  }

  close(): void {
    for (const { frame } of this.#frames.splice(0)) this.api.freeFrame(frame);
  }
}
