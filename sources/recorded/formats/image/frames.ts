import { SourceError } from "../../../core/source.ts";
import { decodeExr } from "../../../decode/exr/index.ts";
import type { Decoder } from "../../../decode/index.ts";
import { unitsOf } from "../../../decode/pixels.ts";
import { type DepthPlane, decodeTiff } from "../../../decode/tiff.ts";
import { fileFrames } from "../../fileFrames.ts";
import { type ByteFile, MAX_FILE, tooLarge } from "../../files/files.ts";
import type { Frames, OpenOptions } from "../../format.ts";
import { meaningOf } from "../../meaning.ts";

/** Opens a depth image: see `image`. It is decoded at once, since opening needs the whole of it anyway. */
export async function openImage(file: ByteFile, kind: string, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const { name, size } = file;
  if (size > MAX_FILE) throw tooLarge(name, size);
  const bytes = await file.read(0, size);
  if (bytes.length < size) throw new SourceError(`${name}: it became shorter while it was read; open it again`);
  const plane: DepthPlane = await (kind === "PNG"
    ? decoder.depth(bytes, name)
    : kind === "TIFF"
      ? decodeTiff(bytes, name)
      : decodeExr(bytes, name));
  const { width, height, data } = plane;
  const warnings: string[] = [];
  const metric = data instanceof Float32Array;
  const meaning = meaningOf(
    options,
    undefined,
    {
      ...(metric && { metresPerUnit: { value: 0.001, from: `${kind} default` } }),
      invalid: { value: [], from: `${kind} default` },
      fps: { value: 30, from: `${kind} default` },
    },
    warnings,
  );
  const values = metric ? inUnits(data, meaning.metresPerUnit) : data;
  return fileFrames({ width, height, meaning, warnings, times: [0], depth: async () => values.slice() });
}

/** Metres in units. One by one: `Uint16Array.from` makes a list of all values first. */
function inUnits(metres: Float32Array, metresPerUnit: number): Uint16Array {
  const units = new Uint16Array(metres.length);
  for (let i = 0; i < units.length; i++) units[i] = unitsOf(metres[i], metresPerUnit);
  return units;
}
