import { SourceError } from "../../../core/source.ts";
import { floatScales } from "../../../decode/pixels.ts";
import { type DepthFormat, depthFormatOf, type FormatDefaults, type Lens } from "../../depthFormat.ts";
import type { WithOrigin } from "../../facts.ts";
import { fileFrames } from "../../fileFrames.ts";
import type { ByteFile } from "../../files/files.ts";
import type { Frames, OpenOptions } from "../../format.ts";
import { isMetric, MAX_HEADER, type NpyArray, npyDepth, readNpyHeader } from "./array.ts";

/** Opens a .npy file: see `npy`. Frames are read in place. */
export async function openNpy(file: ByteFile, options: OpenOptions): Promise<Frames> {
  const array = readNpyHeader(await file.read(0, MAX_HEADER), file.name);
  return npyFrames(array, file.name, options, [], file.size, (from, length) => file.read(from, length));
}

/** The meaning of an array's numbers: floats are metres. */
export function npyMeaning(
  array: NpyArray,
  options: OpenOptions,
  frames: number,
  warnings: string[],
  lens?: WithOrigin<Lens>,
): DepthFormat {
  const from = "NumPy default";
  const defaults: FormatDefaults = {
    ...(isMetric(array) && { metresPerUnit: { value: 0.001, from } }),
    invalid: { value: [], from },
    ...(frames === 1 && { fps: { value: 30, from } }),
    ...(lens && { intrinsics: lens }),
  };
  return depthFormatOf(options, undefined, defaults, warnings);
}

/** The frames of an array; a file that was cut off has fewer. */
export function npyFrames(
  array: NpyArray,
  name: string,
  options: OpenOptions,
  warnings: string[],
  size: number,
  read: (from: number, length: number) => Promise<Uint8Array>,
  lens?: WithOrigin<Lens>,
): Frames {
  const { frames, width, height, start, bytesOfFrame } = array;
  const there = Math.min(frames, Math.floor((size - start) / bytesOfFrame));
  if (there < 1)
    throw new SourceError(
      `${name}: this NumPy file is cut short: it has no complete frame of ${width}×${height}; save it again`,
    );
  if (array.warning !== undefined) warnings.push(array.warning);
  if (there < frames) warnings.push(`${name}: it is cut short: ${there} of ${frames} frames are there; copy it again`);
  const meaning = npyMeaning(array, options, there, warnings, lens);
  const scaleOf = floatScales(options.metresPerUnit, name, warnings);
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times: Array.from({ length: there }, (_, i) => (i * 1000) / meaning.fps),
    async depth(index) {
      const bytes = await read(start + index * bytesOfFrame, bytesOfFrame);
      if (bytes.length === bytesOfFrame) return npyDepth(bytes, array, meaning.metresPerUnit, scaleOf);
      throw new SourceError(`${name}: frame ${index} is cut short; copy it again`);
    },
  });
}
