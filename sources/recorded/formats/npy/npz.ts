import { SourceError } from "../../../core/source.ts";
import type { Lens } from "../../depthFormat.ts";
import type { WithOrigin } from "../../facts.ts";
import type { Files } from "../../files/files.ts";
import type { Frames, OpenOptions } from "../../format.ts";
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
  return npyFrames(array, where, options, [], bytes.length, read, lens);
}

/** Reads a 3×3 matrix of floats: fx 0 cx, 0 fy cy, 0 0 1. Returns `undefined` for anything else. */
export function readLens(
  bytes: Uint8Array,
  { width, height }: Pick<NpyArray, "width" | "height">,
  name: string,
): WithOrigin<Lens> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = String.fromCharCode(...bytes.subarray(10, 138));
  const size = head.includes("'<f8'") ? 8 : head.includes("'<f4'") ? 4 : 0;
  if (size === 0 || !/\(3,\s*3\)/.test(head) || bytes.length < 9 * size) return undefined;
  const start = bytes.length - 9 * size;
  const at = (i: number) => (size === 8 ? view.getFloat64(start + 8 * i, true) : view.getFloat32(start + 4 * i, true));
  const lens = { fx: at(0), fy: at(4), cx: at(2), cy: at(5), width, height };
  return lens.fx > 0 && lens.fy > 0 && Object.values(lens).every(Number.isFinite)
    ? { value: lens, from: `file ${name}` }
    : undefined;
}
