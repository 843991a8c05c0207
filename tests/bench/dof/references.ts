import { singleLayer } from "./bound.ts";
import type { Cache } from "./cache.ts";
import { lensPoints } from "./lens.ts";
import { encode, type Light, type Rgba } from "./light.ts";
import type { Shot } from "./shot.ts";
import type { Exposure } from "./truth.ts";

/** To be changed with what is drawn below, or pictures drawn before are taken for it. */
const VERSION = 1;

/** What a picture is held against. */
export interface References {
  /** What a lens would show: 2N rays a pixel. */
  readonly truth: Rgba;
  /** The same with the first N of them: how far it is from the other is the truth's own error. */
  readonly half: Rgba;
  /** What a lens would show of the one layer that the camera saw, same rays. */
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
  // The layer's own depth names the world too: what is hidden in the picture is not in it, so the view's name is.
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
