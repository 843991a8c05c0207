import ndarray, { type NdArray } from "ndarray";
import { type ColorArray, image } from "../../core/frame.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { eachPartner } from "../../scan/place/icp.ts";
import type { Look } from "../../scan/place/look.ts";
import type { Scene } from "../scene.ts";
import type { AlignedCamera } from "./align.ts";
import { lookAt, sightOf } from "./sight.ts";

/** The colours of a rig's cameras (red, green, blue), those of the first camera first. */
const COLOURS = [0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0xd55e00, 0xcc79a7];

/** One cloud of what all cameras see, in the axes of the first one: x, y, z and the word of the colour, the camera's or the picture's. */
export function cloudOf(
  cameras: readonly AlignedCamera[],
  scenes: readonly (Scene | undefined)[],
  pictures: readonly (ColorArray | undefined)[],
): NdArray<Float32Array> {
  const placed = cameras.flatMap(({ toFirst: m }, k) => {
    const scene = scenes[k];
    return m && scene ? [{ m, scene, picture: pictures[k], own: COLOURS[k % COLOURS.length] }] : [];
  });
  const count = placed.reduce((sum, { scene }) => sum + scene.z.reduce((all, z) => all + (z > 0 ? 1 : 0), 0), 0);
  const points = new Float32Array(4 * count);
  const words = new Uint32Array(points.buffer);
  let at = 0;
  for (const { m, scene, picture, own } of placed) {
    const { z, rays } = scene;
    const fits = picture?.data.length === 4 * z.length ? picture.data : undefined;
    const [red, green, blue] = [own >> 16, (own >> 8) & 255, own & 255];
    for (let i = 0; i < z.length; i++) {
      if (z[i] === 0) continue;
      const [x, y] = [rays.x[i] * z[i], rays.y[i] * z[i]];
      for (let axis = 0; axis < 3; axis++)
        points[at + axis] = m[4 * axis] * x + m[4 * axis + 1] * y + m[4 * axis + 2] * z[i] + m[4 * axis + 3];
      words[at + 3] = fits
        ? fits[4 * i] | (fits[4 * i + 1] << 8) | (fits[4 * i + 2] << 16)
        : red | (green << 8) | (blue << 16);
      at += 4;
    }
  }
  return ndarray(points, [count, 4]);
}

/** The picture's width for each camera, px, and the distance along the normal at which its colours end, m. */
const WIDE = 320;
const MOST_M = 0.02;
/** One partner hides the other if they are farther apart than HIDDEN · MOST_M. */
const HIDDEN = 3;

/**
 * Paints one camera's part of the picture. A pixel is white where both cameras see the surface at one place, red where this camera sees
 * the surface 20 mm farther away than its partner does, blue where 20 mm nearer, and grey where the partner sees nothing.
 */
function disagreementOf(own: Scene, partner: Look, motion: Rigid): { rgba: Uint8Array; down: number } {
  const look = lookAt(own, WIDE, 2);
  const rgba = new Uint8Array(4 * look.across * look.down);
  for (let i = 0; i < rgba.length; i += 4)
    rgba.set(look.depths[i / 4] > 0 ? [110, 110, 110, 255] : [40, 40, 40, 255], i);
  eachPartner(look, partner, motion, HIDDEN * MOST_M, [0, 0, 0], (_, off, pixel) => {
    const share = Math.max(-1, Math.min(1, off / MOST_M));
    const rest = Math.round(255 * (1 - Math.abs(share)));
    // The distance is from this camera's point to the partner's, along the normal towards the partner: above 0 this one lies behind.
    rgba.set(share > 0 ? [255, rest, rest] : [rest, rest, 255], 4 * pixel);
  });
  return { rgba, down: look.down };
}

/** How far cameras of a rig disagree, as one picture: side by side, what each camera that has a partner sees. */
export function disagreementPicture(
  cameras: readonly AlignedCamera[],
  scenes: readonly (Scene | undefined)[],
): ColorArray | undefined {
  const parts = cameras.flatMap(({ toFirst, partner }, k) => {
    const [own, other] = [scenes[k], partner === null ? undefined : scenes[partner]];
    const through = partner === null ? null : cameras[partner].toFirst;
    const sight = other && sightOf(other);
    if (!own || !sight || !toFirst || !through) return [];
    const motion = compose(rigid(), invert(rigid(), Float64Array.from(through)), Float64Array.from(toFirst));
    return [disagreementOf(own, sight.fine, motion)];
  });
  if (parts.length === 0) return undefined;
  const down = Math.max(...parts.map((part) => part.down));
  const data = new Uint8Array(4 * WIDE * parts.length * down);
  for (const [k, part] of parts.entries())
    for (let y = 0; y < part.down; y++)
      data.set(part.rgba.subarray(4 * WIDE * y, 4 * WIDE * (y + 1)), 4 * WIDE * (y * parts.length + k));
  return image(data, [down, WIDE * parts.length, 4]);
}
