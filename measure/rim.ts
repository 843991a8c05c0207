import { outlinesOf } from "./outlines.ts";
import { pixelsIn, type Rect, type Scene } from "./scene.ts";
import type { Standing } from "./standing.ts";

/** The worst part of a picture's rim, against its middle. */
export interface Rim {
  /** The side of the picture on which the part lies. */
  readonly side: "left" | "right" | "top" | "bottom";
  /** The share of the part's pixels that have no depth, less that of the middle's pixels. */
  readonly lost: number;
  /** The noise at this part of the rim, divided by the noise of the image's middle at the same distance. */
  readonly noisier: number;
}

/** The rim's parts lie between these shares of the picture's width or height from the border; corners do not count. */
const OUTER = 0.05;
const INNER = 0.15;
const CORNER = 0.15;
const PARTS = 3;
/** A part in which almost no pixel has a depth lies outside of what the camera can see. */
const OUTSIDE = 0.95;

/** Looks around the rim of a wall for the part that lacks most depth, or is noisiest. */
export function rimOf(standing: Pick<Standing, "variesBy">, scene: Scene, middle: Rect): Rim | null {
  const of = (rect: Rect) => {
    const { pixels, all } = pixelsIn(scene, rect);
    const z = Float64Array.from(pixels, (i) => scene.z[i]).sort()[pixels.length >> 1] ?? Number.NaN;
    return { missing: 1 - pixels.length / all, noise: standing.variesBy(rect) / z ** 2, z };
  };
  const usual = of(middle);
  // Where the wall lies in the middle of a coarse step of depth, the pixels vary less than the camera's noise, or not at all.
  const least = (scene.noise?.sigmaMm(usual.z) ?? 0) / 1000 / usual.z ** 2;
  const parts = partsOf(scene).flatMap(({ side, rect }): Rim[] => {
    const { missing, noise } = of(rect);
    const noisier = noise / Math.max(usual.noise, least);
    const rim = { side, lost: Math.max(0, missing - usual.missing), noisier: noisier > 0 ? noisier : 1 };
    return missing > OUTSIDE ? [] : [rim];
  });
  const bad = ({ lost, noisier }: Rim) => lost + Math.max(0, noisier - 1) / 5;
  return parts.reduce<Rim | null>((worst, part) => (worst && bad(worst) >= bad(part) ? worst : part), null);
}

function partsOf(scene: Scene): { readonly side: Rim["side"]; readonly rect: Rect }[] {
  const { width, height } = scene;
  // The left of the picture is not judged: a stereo camera's other eye does not see it, and without noise the kind of camera is unknown.
  const sides =
    scene.noise?.grain !== undefined && !outlinesOf(scene).matched
      ? (["left", "right", "top", "bottom"] as const)
      : (["right", "top", "bottom"] as const);
  return sides.flatMap((side) =>
    Array.from({ length: PARTS }, (_, k) => {
      const upright = side === "left" || side === "right";
      const [across, along] = upright ? [width, height] : [height, width];
      const from = side === "left" || side === "top" ? OUTER : 1 - INNER;
      const [a, size] = [Math.round(from * across), Math.round((INNER - OUTER) * across)];
      const [b, long] = [CORNER + (k * (1 - 2 * CORNER)) / PARTS, (1 - 2 * CORNER) / PARTS].map((share) =>
        Math.round(share * along),
      );
      const rect = upright ? { x: a, y: b, width: size, height: long } : { x: b, y: a, width: long, height: size };
      return { side, rect };
    }),
  );
}
