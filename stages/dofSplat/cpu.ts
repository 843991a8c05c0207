import type { FrameShape } from "../../sources/frame.ts";
import type { ParametersOf } from "../parameters.ts";
import type { CpuFrame, CpuPicture, CpuPoints, Twin } from "../stage.ts";
import { type Camera, cameraOf, type Film, filmOf, toEncoded, toLinear } from "./camera.ts";
import { EDGE, newRun, Runs } from "./runs.ts";
import type { schema } from "./schema.ts";
import { sortByDistance } from "./sort.ts";

const NEAR = 0.03125;
const FAR = 2047;
/** Who leaves less room than this in a pixel takes it all. Weights add up to 1 only within 2%: no hole is left. */
const CRUMB = 0.03;
/** A pixel has a distance if it has no more room than this: not 0.5, which whole patches on whole pixels would meet. */
const UNDRAWN = 0.51;

/**
 * A splat's numbers, as in the kernels: centre, half sizes, softness (negative for a disc) in px; peak coverage; which way up the
 * aperture is, 1 or −1.
 */
const [X, Y, HALF_X, HALF_Y, SOFT, PEAK, TURN, FIELDS] = [0, 1, 2, 3, 4, 5, 6, 7];

interface Splats {
  /** `FIELDS` numbers a point. */
  readonly outlines: Float32Array;
  /** Metres along the optical axis. */
  readonly distances: Float32Array;
  /** As of a point: the mean of those that the splat stands for. */
  readonly colours: Uint32Array;
  /** The points that touch the picture; `project` leaves them by index, `sortByDistance` by (distance, index). */
  readonly order: Uint32Array;
}

/** A picture in the making. */
interface Exposed {
  /** Linear red, green and blue of each pixel, times the cover. */
  readonly light: Float32Array;
  /** What is not covered yet of each pixel. */
  readonly room: Float32Array;
}

/**
 * The stage on the CPU. The kernels' tiles, lists and batches are their schedule: here one sort of all points by
 * (distance, index) and one walk through them give the same picture, to rounding.
 */
export function dofSplatTwin(shape: FrameShape, parameters: ParametersOf<typeof schema>): Twin {
  const { width, height, maxReachPx } = parameters;
  const capacity = shape.intrinsics.width * shape.intrinsics.height;
  const splats: Splats = {
    outlines: new Float32Array(capacity * FIELDS),
    distances: new Float32Array(capacity),
    colours: new Uint32Array(capacity),
    order: new Uint32Array(capacity),
  };
  const spare = new Uint32Array(capacity);
  const exposed: Exposed = { light: new Float32Array(width * height * 3), room: new Float32Array(width * height) };
  const rgba = new Uint8ClampedArray(width * height * 4);
  const picture: CpuPicture = { width, height, rgba, depth: new Float32Array(width * height) };
  return {
    run(frame) {
      if (!frame.points) throw new Error("dofSplat needs points: put compact before it");
      if (frame.points.count > capacity)
        throw new Error(`dofSplat has room for ${capacity} points, not ${frame.points.count}`);
      const visible = project(frame, frame.points, splats, cameraOf(shape, parameters), picture, maxReachPx);
      sortByDistance(splats.distances, splats.order, spare, visible);
      accumulate(splats, visible, parameters.blades, exposed, picture);
      develop(exposed, filmOf(parameters), picture);
      frame.picture = picture;
    },
  };
}

/** Takes each point to the picture: see shaders/dofSplat/project.wgsl for the shapes. Returns how many touch it. */
function project(
  { depth: image }: CpuFrame,
  points: CpuPoints,
  { outlines, distances, colours, order }: Splats,
  camera: Camera,
  picture: CpuPicture,
  maxReach: number,
): number {
  const [m0 = 0, m1 = 0, m2 = 0, , m4 = 0, m5 = 0, m6 = 0, , m8 = 0, m9 = 0, m10 = 0, , m12 = 0, m13 = 0] =
    Float32Array.from(camera.pose);
  const { pointScale, blur, inverseFocus, metresPerUnit } = camera;
  const [[focalX, focalY], [centreX, centreY]] = [camera.focal, camera.centre];
  const [sensorX, sensorY] = camera.sensorFocal;
  const [rows = 0, columns = 0] = image.shape;
  const rise = (u: number, v: number, z: number) => {
    if (u < 0 || v < 0 || u >= columns || v >= rows) return 0;
    const difference = (image.data[v * columns + u] as number) * metresPerUnit - z;
    return Math.abs(difference) < EDGE * z ? difference : 0;
  };
  let visible = 0;
  const runs = new Runs(points, camera, maxReach);
  const run = newRun();
  for (let i = 0; i < points.count; i++) {
    runs.at(i, run);
    if (run.count === 0) continue;
    const { x, y, z, distance } = run;
    if (!(distance >= NEAR)) continue;
    // The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
    const [px, py] = [(m0 * x + m4 * y + m8 * z + m12) / distance, (m1 * x + m5 * y + m9 * z + m13) / distance];
    const [perX, perY] = [focalX / distance, focalY / distance];
    const rightX = (perX * (m0 - px * m2) * z) / sensorX;
    const rightY = (perY * (m1 - py * m2) * z) / sensorX;
    const downX = (perX * (m4 - px * m6) * z) / sensorY;
    const downY = (perY * (m5 - py * m6) * z) / sensorY;
    const rayZ = (m2 * x + m6 * y + m10 * z) / z;
    const deeperX = perX * ((m0 * x + m4 * y + m8 * z) / z - px * rayZ);
    const deeperY = perY * ((m1 * x + m5 * y + m9 * z) / z - py * rayZ);
    let [toLeft, toRight, toUp, toDown] = [0, 0, 0, 0];
    if (Math.max(Math.abs(deeperX), Math.abs(deeperY)) * z * EDGE > 0.02) {
      const { u, v, firstZ } = run;
      toLeft = rise(u - 1, v, firstZ);
      toRight = rise(u + 1, v, firstZ);
      toUp = rise(u, v - 1, firstZ);
      toDown = rise(u, v + 1, firstZ);
    }
    const acrossX = Math.max(Math.abs(rightX + deeperX * toRight), Math.abs(rightX - deeperX * toLeft));
    const acrossY = Math.max(Math.abs(rightY + deeperY * toRight), Math.abs(rightY - deeperY * toLeft));
    const alongX = Math.max(Math.abs(downX + deeperX * toDown), Math.abs(downX - deeperX * toUp));
    const alongY = Math.max(Math.abs(downY + deeperY * toDown), Math.abs(downY - deeperY * toUp));
    const bx = clamp(0.5 * pointScale * (run.count * acrossX + alongX), 0.03125, 0.5 * maxReach);
    const by = clamp(0.5 * pointScale * (run.count * acrossY + alongY), 0.03125, 0.5 * maxReach);

    const o = i * FIELDS;
    const w = Math.max(Math.hypot(bx, by) * Math.SQRT1_2, 0.5);
    const r = Math.min(blur * Math.abs(inverseFocus - 1 / distance), maxReach - w - 0.5);
    const disc = run.count > 1 || r > 3 * w + 0.5;
    const q = disc ? Math.sqrt(r * r + 0.25) : 0.5 + 0.8660254 * r;
    if (disc) {
      const [slopeU, slopeV] = [0.5 * (toRight - toLeft), 0.5 * (toDown - toUp)];
      const [ux, uy] = [rightX + deeperX * slopeU, rightY + deeperY * slopeU];
      const [vx, vy] = [downX + deeperX * slopeV, downY + deeperY * slopeV];
      const area = run.count * pointScale * pointScale * Math.abs(ux * vy - uy * vx);
      outlines[o + PEAK] = Math.min(area / (camera.apertureArea * (q * q + (w * w) / 3)), 1);
    } else {
      outlines[o + PEAK] = Math.min(bx / q, 1) * Math.min(by / q, 1);
    }
    outlines[o + X] = focalX * px + centreX;
    outlines[o + Y] = focalY * py + centreY;
    outlines[o + HALF_X] = disc ? w : bx;
    outlines[o + HALF_Y] = disc ? w : by;
    outlines[o + SOFT] = disc ? -q : q;
    outlines[o + TURN] = inverseFocus > 1 / distance ? 1 : -1;
    distances[i] = Math.min(distance, FAR);
    colours[i] = run.colour;
    if (touches(outlines, o, picture)) order[visible++] = i;
  }
  return visible;
}

/** Whether the splat reaches a pixel of the picture. */
function touches(outlines: Float32Array, o: number, { width, height }: CpuPicture): boolean {
  const soft = Math.abs(outlines[o + SOFT] as number);
  const [x, reachX] = [outlines[o + X] as number, (outlines[o + HALF_X] as number) + soft];
  const [y, reachY] = [outlines[o + Y] as number, (outlines[o + HALF_Y] as number) + soft];
  return (
    Math.max(Math.ceil(x - reachX), 0) <= Math.min(Math.floor(x + reachX), width - 1) &&
    Math.max(Math.ceil(y - reachY), 0) <= Math.min(Math.floor(y + reachY), height - 1)
  );
}

/** Lays the splats down front to back: each takes its weight of the room left in a pixel, or the rest of it. */
function accumulate(splats: Splats, visible: number, blades: number, film: Exposed, picture: CpuPicture): void {
  const edges = edgesOf(blades);
  const { outlines, distances, colours, order } = splats;
  const { light, room } = film;
  const { width, height, depth } = picture;
  light.fill(0);
  room.fill(1);
  depth.fill(0);
  for (let n = 0; n < visible; n++) {
    const i = order[n] as number;
    const o = i * FIELDS;
    const x = outlines[o + X] as number;
    const y = outlines[o + Y] as number;
    const halfX = outlines[o + HALF_X] as number;
    const halfY = outlines[o + HALF_Y] as number;
    const soft = outlines[o + SOFT] as number;
    const peak = outlines[o + PEAK] as number;
    const turn = outlines[o + TURN] as number;
    const distance = distances[i] as number;
    const colour = colours[i] as number;
    const red = LINEAR[colour & 255] as number;
    const green = LINEAR[(colour >>> 8) & 255] as number;
    const blue = LINEAR[(colour >>> 16) & 255] as number;
    const disc = soft < 0;
    const polygon = disc && edges.length > 0;
    const q = Math.abs(soft);
    const reachX = halfX + q;
    const reachY = halfY + q;
    const slopeX = 0.5 / Math.min(halfX, q);
    const slopeY = 0.5 / Math.min(halfY, q);
    const bottom = Math.min(Math.floor(y + reachY), height - 1);
    for (let v = Math.max(Math.ceil(y - reachY), 0); v <= bottom; v++) {
      const dy = Math.abs(v - y);
      // How far a row of the disc reaches, and how far its flat top.
      const chord = disc ? Math.sqrt(Math.max(reachX * reachX - dy * dy, 0)) : reachX;
      let flat = Math.abs(q - halfX);
      if (disc) flat = polygon ? 0 : Math.sqrt(Math.max((q - halfX) * (q - halfX) - dy * dy, 0));
      const top = disc ? peak : Math.min((reachY - dy) * slopeY, 1) * peak;
      const right = Math.min(Math.floor(x + chord), width - 1);
      for (let u = Math.max(Math.ceil(x - chord), 0); u <= right; u++) {
        const p = v * width + u;
        const before = room[p] as number;
        if (before === 0) continue;
        const dx = Math.abs(u - x);
        let weight = top;
        if (dx >= flat) {
          let away = disc ? Math.sqrt(dx * dx + dy * dy) : dx;
          if (polygon) {
            away = 0;
            for (const [edgeX, edgeY] of edges) away = Math.max(away, dx * edgeX + (v - y) * turn * edgeY);
          }
          weight *= Math.min((reachX - away) * slopeX, 1);
          if (!(weight > 0)) continue;
        }
        const share = before - weight < CRUMB ? before : weight;
        const left = before - share;
        light[3 * p] = (light[3 * p] as number) + share * red;
        light[3 * p + 1] = (light[3 * p + 1] as number) + share * green;
        light[3 * p + 2] = (light[3 * p + 2] as number) + share * blue;
        room[p] = left;
        if (before > UNDRAWN && left <= UNDRAWN) depth[p] = distance;
      }
    }
  }
}

/**
 * The right half of a polygon's edges, a corner up: their normals, such that the product with a corner's place is the corners'
 * radius.
 */
function edgesOf(blades: number): (readonly [number, number])[] {
  if (blades < 5) return [];
  const half = Math.PI / blades;
  const angle = (i: number) => (2 * i + 1) * half;
  const scale = 1 / Math.cos(half);
  return Array.from({ length: (blades + 1) >> 1 }, (_, i) => [Math.sin(angle(i)) * scale, -Math.cos(angle(i)) * scale]);
}

/** Divides the light by the cover and lays it over the background. */
function develop({ light, room }: Exposed, { background, opaque }: Film, { rgba }: CpuPicture): void {
  for (let p = 0; p < room.length; p++) {
    const cover = 1 - (room[p] as number);
    const shown = Math.min(cover / opaque, 1);
    const gain = cover > 0 ? shown / cover : 0;
    for (let c = 0; c < 3; c++) {
      const value = (light[3 * p + c] as number) * gain + (background[c] as number) * (1 - shown);
      rgba[4 * p + c] = ENCODED[(value * 65535 + 0.5) | 0] as number;
    }
    rgba[4 * p + 3] = 255;
  }
}

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));
/** Linear light in 65535ths to 8 bits: off by at most 0.03 of a step before rounding. */
const ENCODED = Uint8Array.from({ length: 65537 }, (_, c) => Math.round(toEncoded(Math.min(c / 65535, 1)) * 255));
