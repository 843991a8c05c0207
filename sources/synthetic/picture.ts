import { cameraAt } from "./camera.ts";
import type { Frame } from "./geometry.ts";
import { bakeAll, type Lightmap } from "./lightmap.ts";
import type { Settings } from "./options.ts";
import { cast, paint, type Seen, shade } from "./render.ts";
import { FURNITURE, movers, type Solid } from "./scene.ts";
import type { Layer } from "./shapes/shape.ts";

let baked: ReadonlyMap<Solid, Lightmap> | undefined;

/** The light of the furniture, baked when it is first needed, once for all rooms: they are the same room. */
function lightmaps(): ReadonlyMap<Solid, Lightmap> {
  baked ??= bakeAll(FURNITURE);
  return baked;
}

/** How much infrared each solid throws back, by its number in a layer. Movers throw back all of it. */
export const INFRARED: readonly number[] = Array.from({ length: 256 }, (_, id) => FURNITURE[id]?.infrared ?? 1);

const newLayer = (width: number, height: number): Layer => ({
  width,
  metres: new Float32Array(width * height),
  ids: new Uint8Array(width * height),
});

interface Background {
  readonly layer: Layer;
  readonly seen: readonly Seen[];
  rgba: Uint8Array | undefined;
}

/** One moment of the room as the camera sees it, exactly. */
export interface Picture {
  readonly layer: Layer;
  readonly rgba: Uint8Array | undefined;
  /** Everything in it, for who needs more than depth. */
  readonly seen: readonly Seen[];
}

/** Draws the room. While the camera stands still, what stands still in front of it is drawn once. */
export class Painter {
  readonly #settings: Settings;
  readonly #layer: Layer;
  #background: Background | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#layer = newLayer(settings.intrinsics.width, settings.intrinsics.height);
  }

  camera(index: number): Frame {
    const { cameraMotion, fps, view } = this.#settings;
    return cameraAt(cameraMotion, index / fps, view);
  }

  /** The picture of frame `index`. Its colours are a new array; its layer is used again by the next call. */
  draw(index: number, color: boolean): Picture {
    const { intrinsics, fps } = this.#settings;
    const view = { camera: this.camera(index), intrinsics };
    const behind = this.#behind(view.camera, color);
    const layer = this.#layer;
    layer.metres.set(behind.layer.metres);
    layer.ids.set(behind.layer.ids);
    const rgba = color ? behind.rgba?.slice() : undefined;
    const { solids, shadows } = movers(index / fps);
    const firstMover = FURNITURE.length;
    const moving = cast(solids, firstMover, view, layer);
    if (rgba) {
      shade(shadows, firstMover, view, layer, rgba);
      paint(moving, lightmaps(), view, layer, rgba);
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
      background = { layer, seen: cast(FURNITURE, 0, view, layer), rgba: undefined };
    }
    if (color && !background.rgba) {
      background.rgba = new Uint8Array(width * height * 4);
      paint(background.seen, lightmaps(), view, background.layer, background.rgba);
    }
    if (cameraMotion === "fixed") this.#background = background;
    return background;
  }
}
