import type { Intrinsics } from "../../core/frame.ts";
import { type Frame, toWorld } from "../../core/geometry.ts";
import { type CastSolid, cast, paint, shade, type View } from "../../sources/synthetic/render.ts";
import { LIGHTING } from "../../sources/synthetic/scenes/room.ts";
import type { Layer } from "../../sources/synthetic/shapes/shape.ts";
import type { LensPoint, ThinLens } from "./lens.ts";
import { LINEAR, type Light } from "./light.ts";
import type { World } from "./worlds.ts";

/**
 * Draws a world through one point of the lens after another. Each gives a pinhole's view, shifted so that the plane in focus stays in
 * place.
 */
export class Exposure {
  readonly intrinsics: Intrinsics;
  readonly #world: World;
  readonly #layer: Layer;
  readonly #rgba: Uint8Array;

  constructor(world: World, intrinsics: Intrinsics) {
    const pixels = intrinsics.width * intrinsics.height;
    this.#world = world;
    this.intrinsics = intrinsics;
    this.#layer = { width: intrinsics.width, metres: new Float32Array(pixels), ids: new Uint8Array(pixels) };
    this.#rgba = new Uint8Array(pixels * 4);
  }

  /** What each pixel's centre sees, and its distance. A copy. */
  layer(): Layer {
    this.#cast({ camera: this.#world.camera, intrinsics: this.intrinsics });
    return { ...this.#layer, metres: this.#layer.metres.slice(), ids: this.#layer.ids.slice() };
  }

  /**
   * The mean of one ray per pixel through each point of a thin lens. Without blur it is a pinhole's picture, averaged over each pixel's
   * area.
   */
  light(lens: ThinLens, points: readonly LensPoint[]): Light {
    const { width, height } = this.intrinsics;
    const rgb = new Float32Array(width * height * 3);
    for (const point of points) {
      this.#view(lens, point);
      for (let p = 0, i = 0; i < rgb.length; p += 4, i += 3) {
        rgb[i] = rgb[i] + LINEAR[this.#rgba[p]];
        rgb[i + 1] = rgb[i + 1] + LINEAR[this.#rgba[p + 1]];
        rgb[i + 2] = rgb[i + 2] + LINEAR[this.#rgba[p + 2]];
      }
    }
    for (let i = 0; i < rgb.length; i++) rgb[i] = rgb[i] / points.length;
    return { width, height, rgb };
  }

  #view({ blur, inverseFocus }: ThinLens, { x, y, u, v }: LensPoint): void {
    const { rotation } = this.#world.camera;
    const { fx, fy, cx, cy } = this.intrinsics;
    const camera: Frame = { rotation, position: toWorld(this.#world.camera, [(x * blur) / fx, (y * blur) / fy, 0]) };
    const [shiftX, shiftY] = [x * blur * inverseFocus - u, y * blur * inverseFocus - v];
    const view = { camera, intrinsics: { ...this.intrinsics, cx: cx + shiftX, cy: cy + shiftY } };
    const [still, moving] = this.#cast(view);
    const { maps, still: solids, shadows } = this.#world;
    paint(still, maps, LIGHTING, view, this.#layer, this.#rgba);
    shade(shadows, solids.length, view, this.#layer, this.#rgba);
    paint(moving, maps, LIGHTING, view, this.#layer, this.#rgba);
  }

  #cast(view: View): [CastSolid[], CastSolid[]] {
    const { still, moving } = this.#world;
    this.#layer.metres.fill(Infinity);
    return [cast(still, 0, view, this.#layer), cast(moving, still.length, view, this.#layer)];
  }
}
