import { compose, IDENTITY, invert, type Rigid, rigid } from "../../../stages/core/pose.ts";
import type { Fusable } from "../volume/volume.ts";
import { alignLooks } from "./icp.ts";
import { type Look, lookOf, unlike } from "./look.ts";

/** A view of the scene whose place is known. */
interface Place {
  readonly look: Look;
  readonly toWorld: Rigid;
}

/** `Places` keeps a view whose camera is at least this far, in metres, or turned by this angle, in radians, from each kept view. */
const [APART_M, APART] = [0.2, 0.25];
/** At most so many places are kept: each has some 120 kB. */
const MOST = 300;
/** So many of the places that look most like a frame are tried. */
const TRIED = 3;
/** An alignment counts where so large a share of the frame fits so well. */
const [SHARE, RMS_M] = [0.5, 0.01];

/** Remembers views of the scene, and finds a camera that nobody has followed by what it sees. */
export class Places {
  readonly #places: Place[] = [];

  /** Keeps a frame's place, if it is far from those that are kept. */
  add(frame: Fusable, toWorld: Rigid): void {
    if (this.#places.length === MOST || this.#places.some((place) => isNear(place.toWorld, toWorld))) return;
    const look = lookOf(frame);
    if (look.count > 300) this.#places.push({ look, toWorld: Float64Array.from(toWorld) });
  }

  /** Where the camera is that sees this frame, by the views that look most like it; `undefined` where none fits well. */
  find(frame: Fusable): Rigid | undefined {
    const look = lookOf(frame);
    const tried = this.#places
      .map((place) => ({ place, away: unlike(look.code, place.look.code) }))
      .toSorted((a, b) => a.away - b.away)
      .slice(0, TRIED);
    for (const { place } of tried) {
      const found = alignLooks(look, place.look, IDENTITY);
      if (!found || found.share < SHARE || found.rmsM > RMS_M) continue;
      return compose(rigid(), place.toWorld, found.motion);
    }
    return undefined;
  }
}

function isNear(a: Rigid, b: Rigid): boolean {
  const motion = compose(rigid(), invert(rigid(), a), b);
  const cosine = (motion[0] + motion[5] + motion[10] - 1) / 2;
  return Math.hypot(motion[3], motion[7], motion[11]) < APART_M && Math.acos(Math.min(1, cosine)) < APART;
}
