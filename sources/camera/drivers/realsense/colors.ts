import { type Registration, registration } from "../../../../core/calibration/register.ts";
import { packedColor } from "../../../decode/pixels.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { Beside } from "./beside.ts";
import type { SensorStream } from "./stream.ts";
import { extrinsicsOf, lensOf } from "./streams.ts";

/** The colour camera beside depth: finds the image that belongs to a frame of depth, and registers it. */
export class Colors {
  readonly text: string;
  readonly #tables: Registration;
  readonly #width: number;
  readonly #height: number;
  readonly #beside: Beside;

  constructor(
    readonly api: Api,
    readonly ffi: Ffi,
    readonly stream: SensorStream,
    depth: SensorStream,
  ) {
    const lens = lensOf(api, stream.profile.pointer);
    const between = extrinsicsOf(api, depth.profile.pointer, stream.profile.pointer);
    this.#tables = registration(lensOf(api, depth.profile.pointer), lens, between);
    this.#beside = new Beside(api, () => stream.poll(), stream.profile.fps);
    this.#width = lens.width;
    this.#height = lens.height;
    this.text = `${lens.width}×${lens.height}, registered by the lenses and the extrinsics that the driver tells`;
  }

  /** The colour of a frame of depth, registered to it. */
  async of(depth: Uint8Array, stampMs: number, metresPerUnit: number): Promise<Uint8Array | undefined> {
    const frame = await this.#beside.at(stampMs);
    if (frame === undefined) return undefined;
    const rgb = this.ffi.view(pointerOf(this.api.frameData(frame)), numberOf(this.api.frameBytes(frame)));
    if (rgb.length !== 3 * this.#width * this.#height) return undefined;
    const values = new Uint16Array(depth.buffer, depth.byteOffset, depth.length >> 1);
    return this.#tables.register(values, metresPerUnit, packedColor("rgb8", rgb, this.#width, this.#height, "colour"));
  }

  close(): void {
    this.#beside.close();
  }
}
