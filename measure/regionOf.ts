import { checkArgument, type Rule } from "../core/check.ts";
import type { Pixel, Region } from "./scene.ts";

const outlineRule: Rule = {
  expects: "a list of corners { x, y }, px",
  holds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((corner) => Number.isFinite(corner?.x + corner?.y)),
};

/**
 * The part of the image within an outline of at least three corners.
 *
 * @example
 * measure(frames, { regions: [regionOf([{ x: 10, y: 10 }, { x: 90, y: 20 }, { x: 40, y: 80 }])] });
 */
export function regionOf(outline: readonly Pixel[]): Region {
  checkArgument("regionOf", "the outline", outlineRule, outline);
  const [xs, ys] = [outline.map(({ x }) => x), outline.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1, outline };
}
