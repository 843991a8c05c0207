import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateSync } from "node:zlib";
import load from "@foxglove/sql.js";
import { Bytes } from "./bytes.ts";

/** RTAB-Map's camera: K of fx (9), fy 9.5, cx 3.25, cy 2.25 for 7×5, looking along the robot's x; `more` behind it. */
export const calibration = (kind = 0, more: Uint8Array = new Uint8Array(), fx = 9): Uint8Array =>
  new Bytes()
    .u32(0, 21, 4, kind, 7, 5, 9, 0, 0, 0, 12)
    .f64(fx, 0, 3.25, 0, 9.5, 2.25, 0, 0, 1)
    .f32(0, 0, 1, 0.5, -1, 0, 0, 0, 0, -1, 0, 0)
    .bytes(more)
    .done();

/** A database of RTAB-Map with a node for each depth image, at 1, 1.5, 2 … s, the robot i metres along x; and statements behind it. */
export async function rtabmapOf(
  depths: readonly Uint8Array[],
  colors: readonly Uint8Array[],
  camera = calibration(),
  ...more: readonly string[]
): Promise<Uint8Array> {
  const wasm = createRequire(import.meta.url).resolve("@foxglove/sql.js/dist/sql-wasm.wasm");
  const SQL = await load({ wasmBinary: new Uint8Array(readFileSync(wasm)).buffer });
  const db = new SQL.Database();
  db.run(`create table Node (id integer not null, map_id integer, stamp float, pose blob, primary key (id));
    create table Data (id integer not null, image blob, -- as JPEG
      depth blob, calibration blob, primary key (id));`);
  for (const [i, depth] of depths.entries()) {
    const pose = new Bytes().f32(1, 0, 0, i, 0, 1, 0, 0, 0, 0, 1, 0).done();
    db.run("insert into Node values (?, 0, ?, ?)", [i + 1, 1 + i / 2, pose]);
    db.run("insert into Data values (?, ?, ?, ?)", [i + 1, colors[i] ?? null, depth, camera]);
  }
  for (const statement of more) db.run(statement);
  const bytes = new Uint8Array(db.export());
  db.close();
  return bytes;
}

/** A row of numbers as RTAB-Map packs matrices: by zlib, with rows, columns and OpenCV's type (whole numbers 4, floats 5) behind it. */
export const packedRow = (numbers: Uint8Array, type: number, columns = numbers.length / 4): Uint8Array =>
  new Bytes().bytes(deflateSync(numbers)).u32(1, columns, type).done();

/** The statements of a map's table Admin with optimised poses: for each node of `ids`, the robot at 10 times its id along y. */
export function adminOf(
  ids: readonly number[],
  packedIds = packedRow(new Bytes().u32(...ids).done(), 4),
  packedPoses = packedRow(
    new Bytes().f32(...ids.flatMap((id) => [1, 0, 0, 0, 0, 1, 0, 10 * id, 0, 0, 1, 0])).done(),
    5,
  ),
): readonly string[] {
  const hex = (bytes: Uint8Array) => `x'${Buffer.from(bytes).toString("hex")}'`;
  return [
    "create table Admin (version text, opt_ids blob, opt_poses blob)",
    `insert into Admin values ('0.21.4', ${hex(packedIds)}, ${hex(packedPoses)})`,
  ];
}
