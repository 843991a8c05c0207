/**
 * The debug view of the circle of confusion: the picture in grey, tinted by the lens's blur: warm before the plane of focus, cold behind
 * it, white where the picture is sharp.
 */
export interface Blur {
  /** 1/m. */
  readonly inverseFocus: number;
  /** Gives the signed radius at a distance z in metres, as a share of the scale's end: gain · (1/focus − 1/z). */
  readonly gain: number;
}

/** The radius at the end of the scale, as a share of the picture's height. */
export const FULL = 0.02;

/** Tints at the ends of the scale, near and far, sRGB 0 to 1. */
export const NEAR_TINT = [1, 0.52, 0.12] as const;
export const FAR_TINT = [0.2, 0.56, 1] as const;
/** The picture's share of the grey, and an offset that keeps tints visible in dark places. */
export const CONTRAST = 0.6;
export const LIFT = 0.34;
/** The grey's share where the distance is unknown: with full grey these places would look sharp. */
export const UNKNOWN = 0.25;
/** Luma of display values (Rec. 709). */
export const LUMA = [0.2126, 0.7152, 0.0722] as const;

/** The blur of a lens with this pupil, focused at a distance, in a picture whose half height is `down` as a tangent. */
export function blurOf(pupilM: number, focusM: number, down: number): Blur {
  return { inverseFocus: 1 / focusM, gain: pupilM / (4 * down * FULL) };
}

/** The place of a distance on the scale, from −1 (near) to 1 (far). */
function blurAt({ inverseFocus, gain }: Blur, distanceM: number): number {
  return Math.min(1, Math.max(-1, gain * (inverseFocus - 1 / distanceM)));
}

/** One channel (0 to 2) of the tint at a place of the scale. The square root makes small radii visible. */
export function tintOf(place: number, channel: number): number {
  const tint = (place < 0 ? NEAR_TINT : FAR_TINT)[channel] ?? 1;
  return 1 + (tint - 1) * Math.sqrt(Math.abs(place));
}

/** Tints an image of 8 bits per channel by the distances of its pixels in metres; pixels with a distance of 0 become dark. */
export function tintImage(rgba: Uint8ClampedArray, distances: Float32Array, blur: Blur): void {
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i] ?? 0;
    const at = i * 4;
    let grey = 0;
    for (let c = 0; c < 3; c++) grey += (LUMA[c] ?? 0) * (rgba[at + c] ?? 0);
    const lit = CONTRAST * grey + LIFT * 255;
    for (let c = 0; c < 3; c++) rgba[at + c] = distance > 0 ? lit * tintOf(blurAt(blur, distance), c) : UNKNOWN * grey;
  }
}
