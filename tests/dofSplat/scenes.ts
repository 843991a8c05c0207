import { uniform } from "../random.ts";
import { cloud, depthMap, rgb, type Scene, shape } from "./draw.ts";

const WHITE = rgb(255, 255, 255);
export const RED = rgb(255, 0, 0);
export const GREEN = rgb(0, 255, 0);
export const BLUE = rgb(0, 0, 255);

/** One point before a camera of 33 × 33 pixels. */
export const one = (x: number, y: number, z: number, colour = WHITE): Scene => ({
  shape: shape(33, 33, 32),
  points: cloud([[x, y, z, colour]]),
});

/** A room as a depth camera sees it: a slanted floor, a wall, a box in front, holes, and a colour that varies. */
export const room = (width: number, height: number): Scene =>
  depthMap(shape(width, height, width * 0.8), (u, v) => {
    const [x, y] = [u / width, v / height];
    const colour = rgb((u * 37) & 255, (v * 91) & 255, ((u >> 3) ^ (v >> 3)) & 1 ? 220 : 40);
    if ((u * 13 + v * 7) % 29 === 0) return [0, 0];
    if (x > 0.3 && x < 0.5 && y > 0.3 && y < 0.8) return [800, colour];
    return [Math.min(2600, 900 / Math.max(y, 0.1)) + ((u * 31 + v * 17) % 5), colour];
  });

/** Points in a box before the camera, of any colour. */
export function swarm(count: number, seed: number, [near, far] = [0.5, 3], spread = 1): Scene {
  const next = uniform(seed);
  const rows = Array.from({ length: count }, (): [number, number, number, number] => {
    const z = near + (far - near) * next();
    return [(next() - 0.5) * z * spread, (next() - 0.5) * z * spread, z, rgb(next() * 255, next() * 255, next() * 255)];
  });
  return { shape: shape(80, 70, 60), points: cloud(rows) };
}

/** A surface 1 m away, left of the middle, and a larger one behind it, 2 m away. */
export const halves = (near: number, far: (u: number, v: number) => number): Scene => {
  const rows: [number, number, number, number][] = [];
  const add = (size: number, z: number, focal: number, colour: (u: number, v: number) => number | undefined) => {
    for (let v = 0; v < size; v++) {
      for (let u = 0; u < size; u++) {
        const word = colour(u, v);
        const [x, y] = [u - (size - 1) / 2, v - (size - 1) / 2];
        if (word !== undefined) rows.push([(x * z) / focal, (y * z) / focal, z, word]);
      }
    }
  };
  add(96, 1, 96, (u) => (u < 48 ? near : undefined));
  add(192, 2, 96, far);
  return { shape: shape(256, 256, 96), points: cloud(rows) };
};
export const square = (size: number) => ({
  width: size,
  height: size,
  verticalFovDeg: (Math.atan(0.5) * 360) / Math.PI,
});
export const checker = (u: number, v: number) => ((u ^ v) & 1 ? WHITE : BLUE);
