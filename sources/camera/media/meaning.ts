import { ASSUMED_DEGREES, assumedLens } from "../../../core/calibration/assumedLens.ts";
import { type Registration, registration, tooLargeToRegister } from "../../../core/calibration/register.ts";
import { type DepthFrame, type Intrinsics, image } from "../../../core/frame.ts";
import type { Size } from "../../../core/view.ts";
import { cameraText, type Fact, unitText } from "../../format/format.ts";
import type { Model } from "./models.ts";
import type { Pixels } from "./reader.ts";

/** Known facts of one camera, which override those of its model: the unit and the intrinsics of its depth image. */
export interface MediaCorrections {
  /** Metres per unit of depth. */
  readonly metresPerUnit?: number;
  /** Focal lengths and principal point, px. */
  readonly intrinsics?: Pick<Intrinsics, "fx" | "fy" | "cx" | "cy">;
}
const isSize = (a: Size, b: Size) => a.width === b.width && a.height === b.height;

/** Gives a camera's pixels their meaning, by what is known of it, else by its model, else by what is usual. */
export class Meaning {
  readonly metresPerUnit: number;
  #lens: Intrinsics | undefined;
  #registration: { readonly of: Size; readonly registration: Registration } | undefined;

  constructor(
    readonly model: Model | undefined,
    readonly known: MediaCorrections,
  ) {
    this.metresPerUnit = known.metresPerUnit ?? model?.metresPerUnit ?? 0.001;
  }

  /** The intrinsics of depth images of that size, the same object each time. */
  lensFor({ width, height }: Size): Intrinsics {
    if (this.#lens && isSize(this.#lens, { width, height })) return this.#lens;
    const { known, model } = this;
    const assumed = model?.lens(width, height) ?? assumedLens(width, height);
    this.#lens = { ...assumed, ...known.intrinsics };
    this.#registration = undefined;
    return this.#lens;
  }

  frameOf({
    depth,
    width,
    height,
    color,
  }: Pixels): Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics" | "color"> {
    const { metresPerUnit } = this;
    const intrinsics = this.lensFor({ width, height });
    const frame = { depth: image(depth, [height, width]), metresPerUnit, intrinsics };
    const registered = color && this.#registrationOf(intrinsics, color)?.register(depth, metresPerUnit, color.rgba);
    return registered ? { ...frame, color: image(registered, [height, width, 4]) } : frame;
  }

  #registrationOf(lens: Intrinsics, { width, height }: Size): Registration | undefined {
    const { model } = this;
    if (!model?.color || tooLargeToRegister(lens)) return undefined;
    if (!this.#registration || !isSize(this.#registration.of, { width, height })) {
      const { lens: colorLens, extrinsics } = model.color;
      const made = registration(lens, colorLens(width, height), extrinsics);
      this.#registration = { of: { width, height }, registration: made };
    }
    return this.#registration.registration;
  }

  /** Which of these facts are assumed and which were given. `colour` describes the colour image. */
  factsFor(size: Size, colour: string): Fact[] {
    const { known, model } = this;
    const byModel = model ? `of a ${model.name}` : `${ASSUMED_DEGREES}° horizontal field of view, square pixels`;
    const lens = this.lensFor(size);
    return [
      {
        what: "unit",
        value: unitText(this.metresPerUnit),
        from: known.metresPerUnit === undefined ? "assumed" : "option",
      },
      known.intrinsics
        ? { what: "intrinsics", value: cameraText(lens), from: "option" }
        : { what: "intrinsics", value: byModel, from: "assumed" },
      { what: "colour", value: colour, from: "header" },
    ];
  }
}
