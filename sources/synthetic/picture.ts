import type { Frame } from "../../core/geometry.ts";
import { cameraAt } from "./camera.ts";
import { bakeAll, type Lightmap } from "./lightmap.ts";
import type { Settings } from "./options.ts";
import { type CastSolid, cast, paint, shade } from "./render.ts";
import { SCENES } from "./scenes/index.ts";
import type { Scene, Solid } from "./scenes/scene.ts";
import type { Layer } from "./shapes/shape.ts";

const baked = new Map<Scene, ReadonlyMap<Solid, Lightmap>>();

/** The baked light of what stands still. It is baked when first needed, and once for all recordings of a scene. */
function lightmapsOf(scene: Scene): ReadonlyMap<Solid, Lightmap> {
  const found = baked.get(scene) ?? bakeAll(scene.still, scene.lighting);
  baked.set(scene, found);
  return found;
}

/** The share of infrared that each solid of a scene reflects, by its number in a layer: first what stands still, then what moves. */
export function infraredOf({ still, movers }: Scene): readonly number[] {
  return [...still, ...movers(0).solids].map(({ infrared }) => infrared);
}

const newLayer = (width: number, height: number): Layer => ({
  width,
  metres: new Float32Array(width * height),
  ids: new Uint8Array(width * height),
});

interface Background {
  readonly layer: Layer;
  readonly seen: readonly CastSolid[];
  rgba: Uint8Array | undefined;
}

/** One moment of a scene as the camera sees it, without noise. */
export interface Picture {
  readonly layer: Layer;
  readonly rgba: Uint8Array | undefined;
  /** All solids in view, for callers that need more than depth. */
  readonly seen: readonly CastSolid[];
}

/** Draws a scene. While the camera stands still, what stands still in front of it is drawn only once. */
export class Painter {
  readonly #settings: Settings;
  readonly #layer: Layer;
  readonly scene: Scene;
  #background: Background | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.scene = SCENES[settings.scene];
    this.#layer = newLayer(settings.intrinsics.width, settings.intrinsics.height);
  }

  camera(index: number): Frame {
    const { cameraMotion, fps, from } = this.#settings;
    return cameraAt(cameraMotion, index / fps, from, this.scene);
  }

  /** Draws frame `index`. Its colours are a new array; the next call reuses its layer. */
  draw(index: number, color: boolean): Picture {
    const { intrinsics, fps } = this.#settings;
    const view = { camera: this.camera(index), intrinsics };
    const behind = this.#behind(view.camera, color);
    const layer = this.#layer;
    layer.metres.set(behind.layer.metres);
    layer.ids.set(behind.layer.ids);
    const rgba = color ? behind.rgba?.slice() : undefined;
    const { still, movers, lighting } = this.scene;
    const { solids, shadows } = movers(index / fps);
    const firstMover = still.length;
    const moving = cast(solids, firstMover, view, layer);
    if (rgba) {
      shade(shadows, firstMover, view, layer, rgba);
      paint(moving, lightmapsOf(this.scene), lighting, view, layer, rgba);
    }
    return { layer, rgba, seen: [...behind.seen, ...moving] };
  }

  #behind(camera: Frame, color: boolean): Background {
    const { intrinsics, cameraMotion } = this.#settings;
    const { width, height } = intrinsics;
    const view = { camera, intrinsics };
    let background = this.#background;
    if (!background) {
      const layer = newLayer(width, height);
      layer.metres.fill(Infinity);
      background = { layer, seen: cast(this.scene.still, 0, view, layer), rgba: undefined };
    }
    if (color && !background.rgba) {
      background.rgba = new Uint8Array(width * height * 4);
      paint(background.seen, lightmapsOf(this.scene), this.scene.lighting, view, background.layer, background.rgba);
    }
    if (cameraMotion === "fixed") this.#background = background;
    return background;
  }
}
