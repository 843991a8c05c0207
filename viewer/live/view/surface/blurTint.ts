import { dot, float, mix, select, uniform, vec3 } from "three/tsl";
import type { Node } from "three/webgpu";
import { type Blur, CONTRAST, FAR_TINT, LIFT, LUMA, NEAR_TINT, UNKNOWN } from "./blur.ts";

/** The same tint as blur.ts, in a fragment shader of Three.js. Uniforms switch the tint on and off, so that no shader is compiled again. */
export class BlurTint {
  readonly #inverseFocus = uniform(0);
  readonly #gain = uniform(0);
  readonly #share = uniform(0);

  /** Tints a colour by its distance in metres; a distance of 0 gives a dark colour. */
  tint(color: Node<"vec3">, distance: Node<"float">): Node<"vec3"> {
    const place = this.#gain.mul(this.#inverseFocus.sub(float(1).div(distance))).clamp(-1, 1);
    const hue = select(place.lessThan(0), vec3(...NEAR_TINT), vec3(...FAR_TINT));
    const grey = dot(color, vec3(...LUMA));
    const tinted = mix(vec3(1, 1, 1), hue, place.abs().sqrt()).mul(grey.mul(CONTRAST).add(LIFT));
    return mix(color, select(distance.greaterThan(0), tinted, vec3(grey.mul(UNKNOWN))), this.#share);
  }

  show(blur: Blur | undefined): void {
    this.#share.value = blur ? 1 : 0;
    this.#inverseFocus.value = blur?.inverseFocus ?? 0;
    this.#gain.value = blur?.gain ?? 0;
  }
}
