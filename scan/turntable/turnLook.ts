import { type Look, lookBy } from "../place/look.ts";

/** A frame as a small image, without its brightness: the light stands while a thing turns in it. */
export type TurnLook = Omit<Look, "light" | "turn">;

/** The look with those of its pixels alone for which `isKept` returns true; it is given the pixel, and its depth in metres. */
export function masked(look: TurnLook, isKept: (pixel: number, depthM: number) => boolean): TurnLook {
  const { across, down, lens, depths } = look;
  const depthAt = (_: unknown, x: number, y: number) => {
    const at = y * across + x;
    return depths[at] > 0 && isKept(at, depths[at]) ? depths[at] : 0;
  };
  return lookBy({ ...lens, width: across, height: down }, across, down, 1, depthAt);
}
