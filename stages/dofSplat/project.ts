import type { CpuFrame, CpuPicture, CpuPoints } from "../stage.ts";
import { type Camera, toEncoded, toLinear } from "./camera.ts";

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
    const difference = data[v * columns + u] * metresPerUnit - z;
    return Math.abs(difference) < EDGE * z ? difference : 0;
  };
  const { distances, lengths } = runs;
  const { floats, words, tiles } = splats;
  const run = newRun();
  let visible = 0;
  for (let i = 0; i < points.count; i++) {
    const firstZ = points.floats[4 * i + 2];
    let x = points.floats[4 * i];
    let y = points.floats[4 * i + 1];
    let z = firstZ;
    let distance = distances[i];
    let count = 1;
    let colour = points.words[4 * i + 3];
    if (lengths[i] > 1) {
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
  const soft = Math.abs(splats[o + SOFT]);
  const x = splats[o + X];
  const y = splats[o + Y];
  const reachX = splats[o + HALF_X] + soft;
  const reachY = splats[o + HALF_Y] + soft;
  const left = Math.max(Math.ceil(x - reachX), 0);
  const top = Math.max(Math.ceil(y - reachY), 0);
  const right = Math.min(Math.floor(x + reachX), width - 1);
  const bottom = Math.min(Math.floor(y + reachY), height - 1);
  // Written so that NaN fails.
  if (!(left <= right && top <= bottom)) return NOWHERE;
  return (left >> TILE_BITS) | ((top >> TILE_BITS) << 8) | ((right >> TILE_BITS) << 16) | ((bottom >> TILE_BITS) << 24);
}

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

/** Neighbours are one surface if their distances differ by less than this share: no number that whole millimetres meet. */
const EDGE = 0.0203;
/** Points of a run, at most; and what a disc's radius must be for each of them, in patches. */
const MOST = 4;
const RUN_RADIUS = 1.52;
const { fround } = Math;

/** What a splat of more than one point stands for. One object serves all runs. */
interface Run {
  /** Mean place, metres in the sensor's frame, and its distance from the view. */
  x: number;
  y: number;
  z: number;
  distance: number;
  /** Points; 0 if another's run has them. */
  count: number;
  /** Mean, as a point's. */
  colour: number;
}

const newRun = (): Run => ({ x: 0, y: 0, z: 0, distance: 0, count: 0, colour: 0 });

/** Finds the points of a row that become one splat: see shaders/dofSplat/project.wgsl. */
export class Runs {
  /** Each point's distance from the view, metres. */
  readonly distances: Float32Array;
  /** How many points a run may have where each of them is. */
  readonly lengths: Uint8Array;
  /** The row of the pose that gives distances. */
  readonly #row = new Float32Array(4);
  #points: CpuPoints | undefined;
  #camera: Camera | undefined;

  constructor(capacity: number) {
    this.distances = new Float32Array(capacity);
    this.lengths = new Uint8Array(capacity);
  }

  /** Takes a frame's points, and writes `distances` and `lengths` of them. Where they are NaN a run has one point. */
  measure(points: CpuPoints, camera: Camera, maxReach: number): void {
    this.#points = points;
    this.#camera = camera;
    const { distances, lengths } = this;
    const { focal, sensorFocal, blur, inverseFocus, longestRun, pose } = camera;
    for (let k = 0; k < 4; k++) this.#row[k] = pose[4 * k + 2];
    const [a = 0, b = 0, c = 0, d = 0] = this.#row;
    const { floats, count } = points;
    const zoom = focal[0] / sensorFocal[0];
    for (let i = 0; i < count; i++) {
      const z = floats[4 * i + 2];
      const distance = distanceOf(floats[4 * i], floats[4 * i + 1], z, a, b, c, d);
      const patch = Math.max((zoom * z) / distance, 1);
      const r = Math.min(blur * Math.abs(inverseFocus - 1 / distance), maxReach) / patch;
      distances[i] = distance;
      lengths[i] = r >= 2 * RUN_RADIUS ? Math.min(r >= 4 * RUN_RADIUS ? 4 : 2, longestRun) : 1;
    }
  }

  /** The run of point `i`, where a run may have more than one point. */
  at(i: number, run: Run): void {
    const { floats, words, count } = this.#points as CpuPoints;
    const length = this.lengths[i];
    const by = ((this.pixel(i, 0) % length) + length) % length;
    run.count = by > 0 && by <= i && this.#follows(i, i - by, by, length) ? 0 : 1;
    if (run.count === 0) return;
    run.x = floats[4 * i];
    run.y = floats[4 * i + 1];
    run.z = floats[4 * i + 2];
    run.distance = this.distances[i];
    run.colour = words[4 * i + 3];
    if (by > 0) return;
    let red = LINEAR[run.colour & 255];
    let green = LINEAR[(run.colour >>> 8) & 255];
    let blue = LINEAR[(run.colour >>> 16) & 255];
    for (let step = 1; step < MOST; step++) {
      const next = i + step;
      if (next >= count || !this.#follows(next, i, step, length)) continue;
      const colour = words[4 * next + 3];
      run.x += floats[4 * next];
      run.y += floats[4 * next + 1];
      run.z += floats[4 * next + 2];
      run.count++;
      red += LINEAR[colour & 255];
      green += LINEAR[(colour >>> 8) & 255];
      blue += LINEAR[(colour >>> 16) & 255];
    }
    if (run.count === 1) return;
    run.x /= run.count;
    run.y /= run.count;
    run.z /= run.count;
    const [a = 0, b = 0, c = 0, d = 0] = this.#row;
    run.distance = distanceOf(run.x, run.y, run.z, a, b, c, d);
    run.colour = byte(red / run.count) | (byte(green / run.count) << 8) | (byte(blue / run.count) << 16);
  }

  /** Whether a point is in the run of the point `leader`, `by` columns to its left. */
  #follows(point: number, leader: number, by: number, length: number): boolean {
    const { floats } = this.#points as CpuPoints;
    const z = floats[4 * leader + 2];
    return (
      by < length &&
      this.lengths[point] === length &&
      this.lengths[leader] === length &&
      Math.abs(floats[4 * point + 2] - z) < EDGE * z &&
      this.pixel(point, 0) === this.pixel(leader, 0) + by &&
      this.pixel(point, 1) === this.pixel(leader, 1)
    );
  }

  /** The column (axis 0) or row (1) of the depth image that a point came from. */
  pixel(i: number, axis: 0 | 1): number {
    const { floats } = this.#points as CpuPoints;
    const { sensorFocal, sensorCentre } = this.#camera as Camera;
    const slope = floats[4 * i + axis] / floats[4 * i + 2];
    return Math.round(slope * sensorFocal[axis] + sensorCentre[axis]);
  }
}

/** Rounded step by step as the GPU does: the distance decides an order. */
function distanceOf(x: number, y: number, z: number, a: number, b: number, c: number, d: number): number {
  return fround(fround(fround(fround(a * x) + fround(b * y)) + fround(c * z)) + d);
}

/** The sRGB byte of linear light, exactly but without a power: the table's is not too large, and mostly right. */
function byte(light: number): number {
  let b = BYTES[(light * 4095) | 0];
  while (light >= ENDS[b]) b++;
  return b;
}

/** Where each byte's light ends. */
const ENDS = Float64Array.from({ length: 256 }, (_, b) => toLinear((b + 0.5) / 255));
const BYTES = Uint8Array.from({ length: 4096 }, (_, k) => Math.round(toEncoded(k / 4095) * 255));

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));
