import { SourceError } from "../../../../core/source.ts";
import { unitReader } from "../../../decode/pixels.ts";
import type { ByteFile } from "../../../files/files.ts";
import { depthFormatOf, type FormatLens, rateOf } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions, Pose, WithOrigin } from "../../../format/format.ts";
import { raysTold, rayTurner } from "../../../format/rays.ts";
import { type DepthFile, fileDefaults } from "../../depthFile.ts";
import { type Colors, fileFrames } from "../../fileFrames.ts";
import { isMetric, MAX_HEADER, type NpyArray, npyDepth, readNpyHeader } from "./array.ts";

/** Opens a .npy file: see `npy`. Frames are read in place. */
export async function openNpy(file: ByteFile, options: OpenOptions): Promise<Frames> {
  const array = readNpyHeader(await file.read(0, MAX_HEADER), file.name);
  return npyFrames(array, file.name, options, file.size, (from, length) => file.read(from, length));
}

/** What lies beside an array of depth. */
interface Beside {
  readonly lens?: WithOrigin<FormatLens> | undefined;
  readonly unit?: WithOrigin<number> | undefined;
  /** In ms. */
  readonly times?: readonly number[] | undefined;
  /** Lines for the user about what is beside. */
  readonly told?: readonly string[];
  readonly pose?: ((index: number) => Promise<Pose | undefined>) | undefined;
  readonly color?: Colors | undefined;
  /** Whether values are lengths of rays. */
  readonly isRay?: boolean;
  /** Whether the user has named the array. */
  readonly asked?: boolean;
}

/** The frames of an array; a file that was cut off has fewer. */
export async function npyFrames(
  array: NpyArray,
  name: string,
  options: OpenOptions,
  size: number,
  read: (from: number, length: number) => Promise<Uint8Array>,
  { lens, unit, times, told = [], pose, color, isRay = false, asked = false }: Beside = {},
): Promise<Frames> {
  const { frames, width, height, start, bytesOfFrame } = array;
  const warnings = [...told];
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
  const rate = times && rateOf(times);
  const defaults = {
    ...fileDefaults(first, there),
    ...(lens && { intrinsics: lens }),
    ...(unit && !isMetric(array) && { metresPerUnit: unit }),
    ...(rate && { fps: { value: rate, from: "files" as const } }),
    ...(asked && { topics: true as const }),
  };
  const meaning = depthFormatOf(options, undefined, defaults, warnings);
  const unitsIn = unitReader(meaning, name, warnings);
  const turnRays = rayTurner();
  if (isRay) warnings.push(raysTold(name));
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times: Array.from({ length: there }, (_, i) => times?.[i] ?? (i * 1000) / meaning.fps),
    async depth(index) {
      const units = unitsIn((await imageAt(index)).data);
      if (isRay) turnRays(units, meaning.intrinsics(width, height));
      return units;
    },
    ...(color && { color }),
    ...(pose && { pose }),
  });
}
