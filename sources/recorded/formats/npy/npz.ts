import { SourceError } from "../../../../core/source.ts";
import type { Files } from "../../../files/files.ts";
import type { FormatLens } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, WithOrigin } from "../../../format/format.ts";
import { lensesIn } from "../../beside/lens.ts";
import { type NpyArray, readNpyHeader } from "./array.ts";
import { npyFrames } from "./frames.ts";

/** Names of arrays that contain intrinsics. */
export const LENS = /(^|\/)(intrinsics?|K|camera_matrix|cam_K)\.npy$/i;

/** Opens a .npz file: see `npz`. An array in it is unpacked as a whole and kept, since a compressed file in a zip has no random access. */
export async function openNpz(files: Files, names: readonly string[], options: OpenOptions): Promise<Frames> {
  const others = names.filter((name) => !LENS.test(name));
  const depths = others.filter((name) => /depth/i.test(name));
  const [name, ...more] = depths.length > 0 ? depths : others;
  if (name === undefined || more.length > 0) {
    throw new SourceError(
      `${files.name}: it has ${others.length} arrays (${others.slice(0, 5).join(", ")}), and none is called depth alone; save the one of depth`,
    );
  }
  const where = `${files.name}/${name}`;
  const bytes = await files.read(name);
  const array: NpyArray = readNpyHeader(bytes, where);
  const lensName = names.find((other) => LENS.test(other));
  const lens = lensName === undefined ? undefined : readLens(await files.read(lensName), array, lensName);
  const read = async (from: number, length: number) => bytes.subarray(from, from + length);
  return npyFrames(array, where, options, bytes.length, read, lens);
}

/** The lens in an array of floats: 3×3, 4×4, or fx, fy, cx, cy. Returns `undefined` for anything else. */
export function readLens(
  bytes: Uint8Array,
  { width, height }: Pick<NpyArray, "width" | "height">,
  name: string,
): WithOrigin<FormatLens> | undefined {
  const [found] = lensesIn({ rows: rowsIn(bytes) }, "intrinsics");
  return found && { value: { ...found.lens, width, height }, from: `file ${name}` };
}

/** An array of floats as rows of at most 16: its images, or all of it in one row. None for any other array. Its values end the file. */
export function rowsIn(bytes: Uint8Array): number[][] {
  const head = String.fromCharCode(...bytes.subarray(10, 138));
  const size = head.includes("'<f8'") ? 8 : head.includes("'<f4'") ? 4 : 0;
  const axes = (/'shape':\s*\(([\d,\s]*)\)/.exec(head)?.[1].match(/\d+/g) ?? []).map(Number);
  const all = axes.reduce((product, axis) => product * axis, 1);
  const wide = all <= 16 ? all : all / axes[0];
  const start = bytes.length - all * size;
  if (size === 0 || !(wide >= 1 && wide <= 16) || start < 0) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const at = (i: number) => (size === 8 ? view.getFloat64(8 * i, true) : view.getFloat32(4 * i, true));
  return Array.from({ length: all / wide }, (_, row) => Array.from({ length: wide }, (_, i) => at(row * wide + i)));
}
