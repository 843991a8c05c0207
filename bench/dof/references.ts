import { singleLayer } from "./bound.ts";
import type { Cache } from "./cache.ts";
import { lensPoints } from "./lens.ts";
import { encode, type Light, type Rgba } from "./light.ts";
import type { Shot } from "./shot.ts";
import type { Exposure } from "./truth.ts";

/** Change this with the drawing below; otherwise cached pictures of the old drawing are used. */
const VERSION = 1;

/** The reference pictures of a view. */
export interface References {
  /** The picture through a real lens, with 2N rays per pixel. */
  readonly truth: Rgba;
  /** The picture through the real lens, with the first N rays only: its difference from `truth` tells the truth's own error. */
  readonly half: Rgba;
  /** The picture through a lens of the single layer that the camera saw, with the same rays. */
  readonly bound: Rgba;
}

export function referencesOf(shot: Shot, exposure: Exposure, rays: number, cache: Cache): References {
  const { lens, image, frame } = shot;
  const seen = [VERSION, rays, lens.blur, lens.inverseFocus, image.width, image.rgba];
  let halves: readonly [Light, Light] | undefined;
  const drawn = () => {
    halves ??= [exposure.light(lens, lensPoints(rays)), exposure.light(lens, lensPoints(rays, 1))];
    return halves;
  };
  // The layer's depth identifies the world, too. But surfaces that are hidden in the picture are not in the layer, so the view's name is
  // needed as well.
  const exact = new Uint8Array(exposure.layer().metres.buffer);
  return {
    half: cache.picture(["half", shot.view.world, exact, ...seen], () => encode(drawn()[0])),
    truth: cache.picture(["truth", shot.view.world, exact, ...seen], () => encode(mean(drawn()))),
    bound: cache.picture(["bound", new Uint8Array(frame.depth.data.buffer), ...seen], () =>
      encode(singleLayer(image, lens, [...lensPoints(rays), ...lensPoints(rays, 1)])),
    ),
  };
}

function mean([a, b]: readonly [Light, Light]): Light {
  return { ...a, rgb: a.rgb.map((x, i) => (x + b.rgb[i]) / 2) };
}
