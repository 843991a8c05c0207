import { isSwapped, swapBytes } from "../../../decode/byteOrder.ts";
import type { Decoder } from "../../../decode/index.ts";
import { unitReader } from "../../../decode/pixels.ts";
import { depthPages } from "../../../decode/tiff.ts";
import { type ByteFile, MAX_FILE, tooLarge } from "../../../files/files.ts";
import { depthFormatOf } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions } from "../../../format/format.ts";
import { decodeDepthFile, fileDefaults } from "../../depthFile.ts";
import { fileFrames } from "../../fileFrames.ts";
import { SWAPPED } from "../../pngFrames.ts";

/** Opens a depth image: see `image`. The first is decoded at once, since opening needs the whole file anyway. */
export async function openImage(file: ByteFile, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const { name, size } = file;
  if (size > MAX_FILE) throw tooLarge(name, size);
  const bytes = await file.read(0, size);
  const first = await decodeDepthFile(bytes, name, decoder);
  const { width, height, kind } = first;
  const pages = kind === "TIFF" ? depthPages(bytes).length : 1;
  const warnings: string[] = [];
  const meaning = depthFormatOf(options, undefined, fileDefaults(first, pages), warnings);
  const unitsIn = unitReader(meaning, name, warnings);
  const values = unitsIn(first.data);
  if (values === first.data && isSwapped(values, width)) {
    swapBytes(values);
    warnings.push(`${name}: ${SWAPPED}`);
  }
  return fileFrames({
    width,
    height,
    meaning,
    warnings,
    times: Array.from({ length: pages }, (_, i) => (i * 1000) / meaning.fps),
    async depth(index) {
      if (index === 0) return values.slice();
      return unitsIn((await decodeDepthFile(bytes, `${name}, image ${index}`, decoder, index)).data);
    },
  });
}
