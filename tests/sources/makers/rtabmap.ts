import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import load from "@foxglove/sql.js";
import { Bytes } from "./bytes.ts";

/** RTAB-Map's camera: K of fx 9, fy 9.5, cx 3.25, cy 2.25 for 7×5, looking along the robot's x; `more` behind it. */
export const calibration = (kind = 0, more: Uint8Array = new Uint8Array()): Uint8Array =>
  new Bytes()
    .u32(0, 21, 4, kind, 7, 5, 9, 0, 0, 0, 12)
    .f64(9, 0, 3.25, 0, 9.5, 2.25, 0, 0, 1)
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
