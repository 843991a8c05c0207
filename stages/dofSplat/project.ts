import type { CpuFrame, CpuPicture, CpuPoints } from "../stage.ts";
import type { Camera } from "./camera.ts";
import { EDGE, newRun, type Runs } from "./runs.ts";

const NEAR = 0.03125;
const FAR = 2047;
const NOWHERE = -1;

/** A tile is 1 << TILE_BITS pixels wide and high: they and the splats on its list stay in a processor's cache. */
export const TILE_BITS = 6;

/**
 * A splat's numbers, as in the kernels: centre, half sizes, softness (negative for a disc) in px; peak coverage, negative where the
 * aperture is upside down; metres along the optical axis; and the colour's word.
 */
export const [X, Y, HALF_X, HALF_Y, SOFT, PEAK, DISTANCE, COLOUR, FIELDS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** `FIELDS` numbers a splat, those that touch the picture, in the order of their points. The same memory as words. */
export interface Splats {
  readonly floats: Float32Array;
  readonly words: Uint32Array;
  /** The tiles that each touches: first and last column and row, x0 | y0 << 8 | x1 << 16 | y1 << 24. */
  readonly tiles: Int32Array;
}

/** Takes each point to the picture: see shaders/dofSplat/project.wgsl for the shapes. Returns how many touch it. */
export function project(
  { depth: image }: CpuFrame,
  points: CpuPoints,
  runs: Runs,
  splats: Splats,
  camera: Camera,
  picture: CpuPicture,
  maxReach: number,
): number {
  const [m0 = 0, m1 = 0, m2 = 0, , m4 = 0, m5 = 0, m6 = 0, , m8 = 0, m9 = 0, m10 = 0, , m12 = 0, m13 = 0] =
    Float32Array.from(camera.pose);
  const { pointScale, blur, inverseFocus, metresPerUnit, apertureArea } = camera;
  const [[focalX, focalY], [centreX, centreY]] = [camera.focal, camera.centre];
  const [sensorX, sensorY] = camera.sensorFocal;
  const [rows = 0, columns = 0] = image.shape;
  const { data } = image;
  const rise = (u: number, v: number, z: number) => {
    if (u < 0 || v < 0 || u >= columns || v >= rows) return 0;
    const difference = (data[v * columns + u] as number) * metresPerUnit - z;
    return Math.abs(difference) < EDGE * z ? difference : 0;
  };
  const { distances, lengths } = runs;
  const { floats, words, tiles } = splats;
  const run = newRun();
  let visible = 0;
  for (let i = 0; i < points.count; i++) {
    const firstZ = points.floats[4 * i + 2] as number;
    let x = points.floats[4 * i] as number;
    let y = points.floats[4 * i + 1] as number;
    let z = firstZ;
    let distance = distances[i] as number;
    let count = 1;
    let colour = points.words[4 * i + 3] as number;
    if ((lengths[i] as number) > 1) {
      runs.at(i, run);
      if (run.count === 0) continue;
      ({ x, y, z, distance, count, colour } = run);
    }
    if (!(distance >= NEAR)) continue;
    // The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
    const px = (m0 * x + m4 * y + m8 * z + m12) / distance;
    const py = (m1 * x + m5 * y + m9 * z + m13) / distance;
    const perX = focalX / distance;
    const perY = focalY / distance;
    const rightX = (perX * (m0 - px * m2) * z) / sensorX;
    const rightY = (perY * (m1 - py * m2) * z) / sensorX;
    const downX = (perX * (m4 - px * m6) * z) / sensorY;
    const downY = (perY * (m5 - py * m6) * z) / sensorY;
    const rayZ = (m2 * x + m6 * y + m10 * z) / z;
    const deeperX = perX * ((m0 * x + m4 * y + m8 * z) / z - px * rayZ);
    const deeperY = perY * ((m1 * x + m5 * y + m9 * z) / z - py * rayZ);
    let toLeft = 0;
    let toRight = 0;
    let toUp = 0;
    let toDown = 0;
    if (Math.max(Math.abs(deeperX), Math.abs(deeperY)) * z * EDGE > 0.02) {
      const u = runs.pixel(i, 0);
      const v = runs.pixel(i, 1);
      toLeft = rise(u - 1, v, firstZ);
      toRight = rise(u + 1, v, firstZ);
      toUp = rise(u, v - 1, firstZ);
      toDown = rise(u, v + 1, firstZ);
    }
    const acrossX = Math.max(Math.abs(rightX + deeperX * toRight), Math.abs(rightX - deeperX * toLeft));
    const acrossY = Math.max(Math.abs(rightY + deeperY * toRight), Math.abs(rightY - deeperY * toLeft));
    const alongX = Math.max(Math.abs(downX + deeperX * toDown), Math.abs(downX - deeperX * toUp));
    const alongY = Math.max(Math.abs(downY + deeperY * toDown), Math.abs(downY - deeperY * toUp));
    const bx = clamp(0.5 * pointScale * (count * acrossX + alongX), 0.03125, 0.5 * maxReach);
    const by = clamp(0.5 * pointScale * (count * acrossY + alongY), 0.03125, 0.5 * maxReach);

    const w = Math.max(Math.sqrt(0.5 * (bx * bx + by * by)), 0.5);
    const r = Math.min(blur * Math.abs(inverseFocus - 1 / distance), maxReach - w - 0.5);
    const disc = count > 1 || r > 3 * w + 0.5;
    const q = disc ? Math.sqrt(r * r + 0.25) : 0.5 + 0.8660254 * r;
    let peak = Math.min(bx / q, 1) * Math.min(by / q, 1);
    if (disc) {
      const slopeU = 0.5 * (toRight - toLeft);
      const slopeV = 0.5 * (toDown - toUp);
      const [ux, uy] = [rightX + deeperX * slopeU, rightY + deeperY * slopeU];
      const [vx, vy] = [downX + deeperX * slopeV, downY + deeperY * slopeV];
      const area = count * pointScale * pointScale * Math.abs(ux * vy - uy * vx);
      const turn = inverseFocus > 1 / distance ? 1 : -1;
      peak = turn * Math.min(area / (apertureArea * (q * q + (w * w) / 3)), 1);
    }
    const o = visible * FIELDS;
    floats[o + X] = focalX * px + centreX;
    floats[o + Y] = focalY * py + centreY;
    floats[o + HALF_X] = disc ? w : bx;
    floats[o + HALF_Y] = disc ? w : by;
    floats[o + SOFT] = disc ? -q : q;
    floats[o + PEAK] = peak;
    floats[o + DISTANCE] = Math.min(distance, FAR);
    words[o + COLOUR] = colour;
    const touched = tilesOf(floats, o, picture);
    if (touched !== NOWHERE) tiles[visible++] = touched;
  }
  return visible;
}

/** The tiles in which a splat reaches a pixel of the picture: their first and last column and row, a byte each. Or NOWHERE. */
function tilesOf(splats: Float32Array, o: number, { width, height }: CpuPicture): number {
  const soft = Math.abs(splats[o + SOFT] as number);
  const x = splats[o + X] as number;
  const y = splats[o + Y] as number;
  const reachX = (splats[o + HALF_X] as number) + soft;
  const reachY = (splats[o + HALF_Y] as number) + soft;
  const left = Math.max(Math.ceil(x - reachX), 0);
  const top = Math.max(Math.ceil(y - reachY), 0);
  const right = Math.min(Math.floor(x + reachX), width - 1);
  const bottom = Math.min(Math.floor(y + reachY), height - 1);
  // Written so that NaN fails.
  if (!(left <= right && top <= bottom)) return NOWHERE;
  return (left >> TILE_BITS) | ((top >> TILE_BITS) << 8) | ((right >> TILE_BITS) << 16) | ((bottom >> TILE_BITS) << 24);
}

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);
