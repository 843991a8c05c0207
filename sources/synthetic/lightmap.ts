import { type Rays, rotate, subtract, toLocal, toWorld, unrotate, type Vec3 } from "../../core/geometry.ts";
import { add, type Lighting, newSpot, reach, type Spot } from "./light.ts";
import type { Solid } from "./scenes/scene.ts";
import type { Hit, Layer } from "./shapes/shape.ts";

const ROOM_TEXEL_M = 0.08;
const TEXEL_M = 0.05;
/** Solids smaller than this are lit without shadows. */
const SMALLEST_M = 0.3;
/** The distance from the surface at which shadow rays start, so that a surface does not shade itself. */
const LIFT_M = 0.002;

/**
 * Baked light on a solid's flat faces (by face; undefined where the solid is round), with soft shadows from a shadow ray to each point of
 * each lamp.
 */
export type Lightmap = readonly (Face | undefined)[];

/** Texel (i, j) lies at `light[3 · (j · columns + i)]`; i runs along the axis after the face's own, j along the next one. */
interface Face {
  readonly a0: number;
  readonly b0: number;
  readonly columnsPerM: number;
  readonly rowsPerM: number;
  readonly columns: number;
  readonly rows: number;
  readonly light: Float32Array;
}

type Axis = 0 | 1 | 2;
const AXES: readonly Axis[] = [0, 1, 2];
const next = (axis: Axis) => ((axis + 1) % 3) as Axis;

/** Bakes the flat faces of all large solids. The first solid is the room, which surrounds the others and casts no shadow. */
export function bakeAll(solids: readonly Solid[], lighting: Lighting): ReadonlyMap<Solid, Lightmap> {
  const [first] = solids;
  const blockers = blockersOf(solids.filter((solid) => solid !== first && solid.blocks));
  const large = solids.filter(({ shape: { lo, hi } }) => Math.hypot(...subtract(hi, lo)) > SMALLEST_M);
  return new Map(large.map((solid) => [solid, bake(solid, blockers, lighting, solid === first)]));
}

function bake(solid: Solid, blockers: Blockers, lighting: Lighting, isRoom: boolean): Lightmap {
  const { lo, hi, flat } = solid.shape;
  const texel = isRoom ? ROOM_TEXEL_M : TEXEL_M;
  const spot = newSpot();
  return AXES.flatMap((axis) =>
    [lo, hi].map((side, positive): Face | undefined => {
      if (!flat.includes(2 * axis + positive)) return undefined;
      const normal: [number, number, number] = [0, 0, 0];
      normal[axis] = (positive ? 1 : -1) * (isRoom ? -1 : 1);
      // No camera sees faces that look down, except the ceiling.
      if (normal[1] > 0 && !isRoom) return undefined;
      const [a, b] = [next(axis), next(next(axis))];
      const columns = Math.ceil((hi[a] - lo[a]) / texel);
      const rows = Math.ceil((hi[b] - lo[b]) / texel);
      const light = new Float32Array(columns * rows * 3);
      [spot.nx, spot.ny, spot.nz] = rotate(solid.frame.rotation, normal);
      for (let j = 0; j < rows; j++) {
        for (let i = 0; i < columns; i++) {
          const p: [number, number, number] = [0, 0, 0];
          p[axis] = side[axis] + normal[axis] * LIFT_M;
          p[a] = lo[a] + ((i + 0.5) / columns) * (hi[a] - lo[a]);
          p[b] = lo[b] + ((j + 0.5) / rows) * (hi[b] - lo[b]);
          [spot.x, spot.y, spot.z] = toWorld(solid.frame, p);
          gather(spot, blockers, lighting);
          light.set([spot.r, spot.g, spot.b], (j * columns + i) * 3);
        }
      }
      const columnsPerM = columns / (hi[a] - lo[a]);
      return { a0: lo[a], b0: lo[b], columnsPerM, rowsPerM: rows / (hi[b] - lo[b]), columns, rows, light };
    }),
  );
}

function gather(spot: Spot, blockers: Blockers, { lamps, bounce, ambient }: Lighting): void {
  [spot.r, spot.g, spot.b] = ambient;
  for (const lamp of [...lamps, bounce]) {
    for (const point of lamp.points) {
      const share = reach(spot, point, lamp.facing) / lamp.points.length;
      if (share > 0 && !hidden(spot, point, blockers)) add(spot, lamp, share);
    }
  }
}

/** The solids that cast shadows, the spheres around them (x, y, z and radius²), and a layer of one pixel for casting a ray. */
interface Blockers {
  readonly solids: readonly Solid[];
  readonly spheres: Float64Array;
  readonly layer: Layer;
}

function blockersOf(solids: readonly Solid[]): Blockers {
  const spheres = solids.flatMap(({ shape: { lo, hi }, frame }) => {
    const middle: Vec3 = [(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2];
    return [...toWorld(frame, middle), Math.hypot(...subtract(hi, middle)) ** 2];
  });
  const layer: Layer = { width: 1, metres: new Float32Array(1), ids: new Uint8Array(1) };
  return { solids, spheres: Float64Array.from(spheres), layer };
}

const STILL: Vec3 = [0, 0, 0];

/** Whether a solid stands between a spot and a point of a lamp. */
function hidden(spot: Spot, point: Vec3, { solids, spheres, layer }: Blockers): boolean {
  const dx = point[0] - spot.x;
  const dy = point[1] - spot.y;
  const dz = point[2] - spot.z;
  const perSquare = 1 / (dx * dx + dy * dy + dz * dz);
  for (let i = 0; i < spheres.length; i += 4) {
    // Most rays pass far from most solids, so the sphere around the solid is tested first.
    const ex = spheres[i] - spot.x;
    const ey = spheres[i + 1] - spot.y;
    const ez = spheres[i + 2] - spot.z;
    const t = Math.min(1, Math.max(0, (ex * dx + ey * dy + ez * dz) * perSquare));
    const mx = ex - t * dx;
    const my = ey - t * dy;
    const mz = ez - t * dz;
    if (mx * mx + my * my + mz * mz > spheres[i + 3]) continue;
    const { shape, frame } = solids[i / 4];
    const origin = toLocal(frame, [spot.x, spot.y, spot.z]);
    const rays: Rays = { origin, base: unrotate(frame.rotation, [dx, dy, dz]), u: STILL, v: STILL };
    layer.metres[0] = 1;
    shape.cast(rays, 0, 0, 1, layer, 0);
    if (layer.metres[0] < 1) return true;
  }
  return false;
}

/** Sets a spot's light from a face's map, interpolated between the four texels around a hit. */
export function lookUp({ light, columns, rows, a0, b0, columnsPerM, rowsPerM }: Face, hit: Hit, spot: Spot): void {
  const axis = hit.face >> 1;
  const a = axis === 0 ? hit.y : axis === 1 ? hit.z : hit.x;
  const b = axis === 0 ? hit.z : axis === 1 ? hit.x : hit.y;
  const u = Math.min(Math.max((a - a0) * columnsPerM - 0.5, 0), columns - 1);
  const v = Math.min(Math.max((b - b0) * rowsPerM - 0.5, 0), rows - 1);
  const i = Math.floor(u);
  const j = Math.floor(v);
  const here = (j * columns + i) * 3;
  const right = here + (i + 1 < columns ? 3 : 0);
  const step = j + 1 < rows ? columns * 3 : 0;
  const s = u - i;
  const t = v - j;
  const p = (1 - s) * (1 - t);
  const q = s * (1 - t);
  const r = (1 - s) * t;
  const w = s * t;
  spot.r = light[here] * p + light[right] * q + light[here + step] * r + light[right + step] * w;
  spot.g = light[here + 1] * p + light[right + 1] * q + light[here + step + 1] * r + light[right + step + 1] * w;
  spot.b = light[here + 2] * p + light[right + 2] * q + light[here + step + 2] * r + light[right + step + 2] * w;
}
