import { SourceError } from "../../../../core/source.ts";
import { unitReader } from "../../../decode/pixels.ts";
import type { ByteFile } from "../../../files/files.ts";
import { depthFormatOf, type FormatLens } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, WithOrigin } from "../../../format/format.ts";
import { type DepthFile, fileDefaults } from "../../depthFile.ts";
import { fileFrames } from "../../fileFrames.ts";
import { MAX_HEADER, type NpyArray, npyDepth, readNpyHeader } from "./array.ts";

/** Opens a .npy file: see `npy`. Frames are read in place. */
export async function openNpy(file: ByteFile, options: OpenOptions): Promise<Frames> {
  const array = readNpyHeader(await file.read(0, MAX_HEADER), file.name);
  return npyFrames(array, file.name, options, file.size, (from, length) => file.read(from, length));
}

/** The frames of an array; a file that was cut off has fewer. */
export async function npyFrames(
  array: NpyArray,
  name: string,
  options: OpenOptions,
  size: number,
  read: (from: number, length: number) => Promise<Uint8Array>,
  lens?: WithOrigin<FormatLens>,
): Promise<Frames> {
  const { frames, width, height, start, bytesOfFrame } = array;
  const warnings: string[] = [];
  const there = Math.min(frames, Math.floor((size - start) / bytesOfFrame));
  if (there < 1)
    throw new SourceError(
      `${name}: this NumPy file is cut short: it has no complete frame of ${width}×${height}; save it again`,
    );
  if (array.warning !== undefined) warnings.push(array.warning);
  if (there < frames) warnings.push(`${name}: it is cut short: ${there} of ${frames} frames are there; copy it again`);
  const imageAt = async (index: number): Promise<DepthFile> => {
    const bytes = await read(start + index * bytesOfFrame, bytesOfFrame);
    if (bytes.length === bytesOfFrame) return { width, height, kind: "NumPy", data: npyDepth(bytes, array) };
    throw new SourceError(`${name}: frame ${index} is cut short; copy it again`);
  };
  const first = await imageAt(0);
  const defaults = { ...fileDefaults(first, there), ...(lens && { intrinsics: lens }) };
  const meaning = depthFormatOf(options, undefined, defaults, warnings);
  const unitsIn = unitReader(meaning, name, warnings);
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times: Array.from({ length: there }, (_, i) => (i * 1000) / meaning.fps),
    depth: async (index) => unitsIn((await imageAt(index)).data),
  });
}
