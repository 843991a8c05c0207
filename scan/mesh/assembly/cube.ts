/** The mesh of a cube of bricks: `Cube` of scan/mesh/cube.ts with `Nets` of nets.ts, eight samples of a row at a time. */
import { COLOURS, EDGE, WEIGHTS } from "../../volume/layout.ts";
import {
  ALL_CELLS,
  AROUND,
  AROUND_BYTES,
  AT_CORNERS,
  CELLS,
  COLOURS_OUT,
  CORNERS,
  HAS_COLOUR,
  INDICES,
  IS_OVER,
  KNOWN_ROWS,
  LEAST,
  MOST_INDICES,
  MOST_VERTICES,
  NORMALS,
  ORIGIN,
  POSITIONS,
  SIDE,
  SOLID_ROWS,
  STEEPEST,
  VERTEX_OF,
  VERTICES,
  VOXEL_M,
  WELL,
} from "../layout.ts";

/** `slot` is an address (layout.ts). */
export function makeCube(slot: usize): void {
  store<i32>(slot, 0, VERTICES);
  store<i32>(slot, 0, CORNERS);
  store<i32>(slot, 0, IS_OVER);
  let around = slot + AROUND;
  for (const end = around + load<i32>(slot) * AROUND_BYTES; around < end; around += AROUND_BYTES) {
    const vertices = load<i32>(slot, VERTICES);
    const corners = load<i32>(slot, CORNERS);
    if (!gather(slot, around)) continue;
    memory.fill(slot + VERTEX_OF, 0xff, 2 * ALL_CELLS);
    placeAll(slot, around);
    if (load<i32>(slot, VERTICES) > vertices + 2) connect(slot, around);
    if (load<i32>(slot, CORNERS) === corners) store<i32>(slot, vertices, VERTICES);
    if (load<i32>(slot, IS_OVER) > 0) return;
  }
}

/** Finds which samples are known and solid. Returns whether both signs occur. */
function gather(slot: usize, around: usize): bool {
  const least = load<i32>(slot, LEAST);
  const leasts = i16x8.splat(<i16>least);
  let hasFree = 0;
  let hasSolid = 0;
  for (let z = 0; z < SIDE; z++) {
    for (let y = 0; y < SIDE; y++) {
      const column = around + 12 * (((y + 7) >> 3) + 3 * ((z + 7) >> 3));
      const row = <usize>(2 * EDGE * (((y + 7) & 7) + EDGE * ((z + 7) & 7)));
      const left = load<i32>(column);
      const own = load<i32>(column, 4);
      const right = load<i32>(column, 8);
      let known = 0;
      let solid = 0;
      if (own >= 0) {
        known = i16x8.bitmask(i16x8.ge_u(v128.load(<usize>own + row, WEIGHTS), leasts)) << 1;
        solid = i16x8.bitmask(v128.load(<usize>own + row)) << 1;
      }
      if (left >= 0 && <i32>load<u16>(<usize>left + row, WEIGHTS + 14) >= least) {
        known |= 1;
        solid |= load<i16>(<usize>left + row, 14) < 0 ? 1 : 0;
      }
      if (right >= 0 && <i32>load<u16>(<usize>right + row, WEIGHTS) >= least) {
        known |= 1 << (SIDE - 1);
        solid |= load<i16>(<usize>right + row) < 0 ? 1 << (SIDE - 1) : 0;
      }
      solid &= known;
      const to = slot + <usize>(2 * (y + SIDE * z));
      store<u16>(to, known, KNOWN_ROWS);
      store<u16>(to, solid, SOLID_ROWS);
      hasSolid |= solid;
      hasFree |= known & ~solid;
    }
  }
  return hasFree > 0 && hasSolid > 0;
}

/** Makes the vertices of all cells that the surface crosses. */
function placeAll(slot: usize, around: usize): void {
  for (let z = 0; z < CELLS; z++) {
    for (let y = 0; y < CELLS; y++) {
      const row = slot + <usize>(2 * (y + SIDE * z));
      const a = <i32>load<u16>(row, SOLID_ROWS);
      const b = <i32>load<u16>(row, SOLID_ROWS + 2);
      const c = <i32>load<u16>(row, SOLID_ROWS + 2 * SIDE);
      const d = <i32>load<u16>(row, SOLID_ROWS + 2 * SIDE + 2);
      const some = a | b | c | d;
      const every = a & b & c & d;
      const above = load<u16>(row, KNOWN_ROWS) & load<u16>(row, KNOWN_ROWS + 2);
      const seen = <i32>(above & load<u16>(row, KNOWN_ROWS + 2 * SIDE) & load<u16>(row, KNOWN_ROWS + 2 * SIDE + 2));
      let crossed = seen & (seen >> 1) & (some | (some >> 1)) & ~(every & (every >> 1));
      for (; crossed > 0; crossed &= crossed - 1) {
        const x = ctz(crossed);
        const corners = ((a >> x) & 3) | (((b >> x) & 3) << 2) | (((c >> x) & 3) << 4) | (((d >> x) & 3) << 6);
        place(slot, around, x, y, z, corners);
      }
    }
  }
}

/** Makes the vertex of a cell, the mean of the crossings of its edges, if the surface crosses any. */
function place(slot: usize, around: usize, cellX: i32, cellY: i32, cellZ: i32, solid: i32): void {
  const at = slot + AT_CORNERS;
  for (let i = 0; i < 8; i++) {
    const x = cellX + 7 + (i & 1);
    const y = cellY + 7 + ((i >> 1) & 1);
    const z = cellZ + 7 + (i >> 2);
    const brick = load<i32>(around + <usize>(4 * ((x >> 3) + 3 * (y >> 3) + 9 * (z >> 3))));
    const voxel = (x & 7) + EDGE * (y & 7) + EDGE * EDGE * (z & 7);
    store<f64>(at + <usize>(8 * i), <f64>load<i16>(<usize>(brick + 2 * voxel)));
    store<i32>(at + <usize>(4 * i), brick + 2 * voxel, 64);
    store<i32>(at + <usize>(4 * i), brick + COLOURS + 4 * voxel, 96);
  }
  const hasColour = load<i32>(slot, HAS_COLOUR) > 0;
  let x: f64 = 0;
  let y: f64 = 0;
  let z: f64 = 0;
  let weight = 0;
  let red = 0;
  let green = 0;
  let blue = 0;
  let coloured = 0;
  let count = 0;
  const across = (solid ^ (solid >> 1)) & 0x55;
  const down = (solid ^ (solid >> 2)) & 0x33;
  const along = (solid ^ (solid >> 4)) & 0x0f;
  for (let left = across | down | along; left > 0; left &= left - 1) {
    const i = ctz(left);
    const crossed = ((across >> i) & 1) | (((down >> i) & 1) << 1) | (((along >> i) & 1) << 2);
    for (let bit = 1; bit < 8; bit <<= 1) {
      if ((crossed & bit) === 0) continue;
      const j = i | bit;
      const from = load<f64>(at + <usize>(8 * i));
      const to = load<f64>(at + <usize>(8 * j));
      if (abs(from - to) > STEEPEST) continue;
      count++;
      const t = from / (from - to);
      x += bit === 1 ? t : <f64>(i & 1);
      y += bit === 2 ? t : <f64>((i >> 1) & 1);
      z += bit === 4 ? t : <f64>(i >> 2);
      const first = <usize>load<i32>(at + <usize>(4 * i), 64);
      const second = <usize>load<i32>(at + <usize>(4 * j), 64);
      weight += <i32>load<u16>(first, WEIGHTS) + <i32>load<u16>(second, WEIGHTS);
      // The colour of the crossing is that of the nearer voxel: the other one may have none.
      const colour = hasColour ? load<u32>(<usize>load<i32>(at + <usize>(4 * (t < 0.5 ? i : j)), 96)) : 0;
      if (colour === 0) continue;
      red += colour & 0x7ff;
      green += (colour >> 11) & 0x7ff;
      blue += (colour >> 21) & 0x7fe;
      coloured++;
    }
  }
  if (count === 0) return;
  const vertex = load<i32>(slot, VERTICES);
  if (vertex === MOST_VERTICES) {
    store<i32>(slot, 1, IS_OVER);
    return;
  }
  const origin = around + (ORIGIN - AROUND);
  const positions = slot + <usize>(12 * vertex);
  const voxelM = load<f64>(slot, VOXEL_M);
  store<f32>(positions, inMetres(<f64>(load<i32>(origin) + cellX) + x / <f64>count, voxelM), POSITIONS);
  store<f32>(positions, inMetres(<f64>(load<i32>(origin, 4) + cellY) + y / <f64>count, voxelM), POSITIONS + 4);
  store<f32>(positions, inMetres(<f64>(load<i32>(origin, 8) + cellZ) + z / <f64>count, voxelM), POSITIONS + 8);
  const four = slot + <usize>(4 * vertex);
  store<u8>(four, shadeOf(red, coloured), COLOURS_OUT);
  store<u8>(four, shadeOf(green, coloured), COLOURS_OUT + 1);
  store<u8>(four, shadeOf(blue, coloured), COLOURS_OUT + 2);
  const mean = <f64>(<f32>(<f64>weight / <f64>(2 * count)));
  store<u8>(four, <i32>min<f64>(255, (255 * mean) / WELL), COLOURS_OUT + 3);
  const d0 = load<f64>(at);
  const d1 = load<f64>(at, 8);
  const d2 = load<f64>(at, 16);
  const d3 = load<f64>(at, 24);
  const d4 = load<f64>(at, 32);
  const d5 = load<f64>(at, 40);
  const d6 = load<f64>(at, 48);
  const d7 = load<f64>(at, 56);
  const nx = d1 - d0 + d3 - d2 + d5 - d4 + d7 - d6;
  const ny = d2 - d0 + d3 - d1 + d6 - d4 + d7 - d5;
  const nz = d4 - d0 + d5 - d1 + d6 - d2 + d7 - d3;
  const length = sqrt(nx * nx + ny * ny + nz * nz);
  const per = 1 / (length > 0 ? length : 1);
  store<i8>(four, inBytes(nx * per), NORMALS);
  store<i8>(four, inBytes(ny * per), NORMALS + 1);
  store<i8>(four, inBytes(nz * per), NORMALS + 2);
  store<i8>(four, 0, NORMALS + 3);
  const cell = cellX + CELLS * cellY + CELLS * CELLS * cellZ;
  store<i16>(slot + <usize>(2 * cell), vertex, VERTEX_OF);
  store<i32>(slot, vertex + 1, VERTICES);
}

function inMetres(voxels: f64, voxelM: f64): f32 {
  return <f32>(<f64>(<f32>voxels) * voxelM);
}

function inBytes(part: f64): i32 {
  return <i32>(<f64>(<f32>part) * 127);
}

function shadeOf(sum: i32, count: i32): i32 {
  return count > 0 ? <i32>(<f32>(<f64>sum / <f64>count / 8)) : 128;
}

/** Makes the faces around the brick's edges. */
function connect(slot: usize, around: usize): void {
  for (let z = 1; z <= EDGE; z++) {
    for (let y = 1; y <= EDGE; y++) {
      const row = y + SIDE * z;
      for (let axis = 0; axis < 3; axis++) {
        const further = axis === 1 ? 1 : axis === 2 ? SIDE : 0;
        const shift = axis === 0 ? 1 : 0;
        const first = slot + <usize>(2 * row);
        const second = first + <usize>(2 * further);
        const known = <i32>load<u16>(first, KNOWN_ROWS) & (<i32>load<u16>(second, KNOWN_ROWS) >> shift);
        const solid = <i32>load<u16>(first, SOLID_ROWS) ^ (<i32>load<u16>(second, SOLID_ROWS) >> shift);
        let crossed = 0x1fe & known & solid;
        for (; crossed > 0; crossed &= crossed - 1) {
          const x = ctz(crossed);
          const from = distanceAt(around, x, y, z);
          const to = distanceAt(around, x + shift, axis === 1 ? y + 1 : y, axis === 2 ? z + 1 : z);
          if (<f64>abs(from - to) > STEEPEST) continue;
          face(slot, x + CELLS * y + CELLS * CELLS * z, axis, from < 0);
        }
      }
    }
  }
}

function distanceAt(around: usize, x: i32, y: i32, z: i32): i32 {
  const place = ((x + 7) >> 3) + 3 * ((y + 7) >> 3) + 9 * ((z + 7) >> 3);
  const voxel = ((x + 7) & 7) + EDGE * ((y + 7) & 7) + EDGE * EDGE * ((z + 7) & 7);
  return <i32>load<i16>(<usize>(load<i32>(around + <usize>(4 * place)) + 2 * voxel));
}

/** The face around the edge along `axis` from the first voxel of `cell`, between the four cells around the edge. */
function face(slot: usize, cell: i32, axis: i32, isOutward: bool): void {
  const u = axis === 0 ? CELLS : axis === 1 ? CELLS * CELLS : 1;
  const v = axis === 0 ? CELLS * CELLS : axis === 1 ? 1 : CELLS;
  let a = vertexAt(slot, cell - u - v);
  let b = vertexAt(slot, cell - v);
  let c = vertexAt(slot, cell);
  let d = vertexAt(slot, cell - u);
  // Three of the four are enough: they move up, and the last one is below 0.
  if (a < 0) {
    a = b;
    b = c;
    c = d;
    d = -1;
  } else if (b < 0) {
    b = c;
    c = d;
    d = -1;
  } else if (c < 0) {
    c = d;
    d = -1;
  }
  if (a < 0 || b < 0 || c < 0) return;
  if (load<i32>(slot, CORNERS) + 6 > MOST_INDICES) {
    store<i32>(slot, 1, IS_OVER);
    return;
  }
  if (isOutward) triangle(slot, a, b, c);
  else if (d < 0) triangle(slot, c, b, a);
  else triangle(slot, d, c, b);
  if (d < 0) return;
  if (isOutward) triangle(slot, a, c, d);
  else triangle(slot, d, b, a);
}

function vertexAt(slot: usize, cell: i32): i32 {
  return <i32>load<i16>(slot + <usize>(2 * cell), VERTEX_OF);
}

function triangle(slot: usize, a: i32, b: i32, c: i32): void {
  const corners = load<i32>(slot, CORNERS);
  const to = slot + <usize>(4 * corners);
  store<i32>(to, a, INDICES);
  store<i32>(to, b, INDICES + 4);
  store<i32>(to, c, INDICES + 8);
  store<i32>(slot, corners + 3, CORNERS);
}
