import type { Format } from "../../../format/format.ts";

/**
 * A recording of Azure Kinect, or of a camera that records as it does (Orbbec): Matroska with an uncompressed track called DEPTH, in
 * millimetres, and the device's calibration attached.
 */
export const mkv: Format = {
  name: "mkv",
  sign: "an Azure Kinect .mkv",
  async open(input, options, decoder) {
    if (input.kind !== "file" || !EBML.every((byte, i) => input.head[i] === byte)) return undefined;
    const { openMkv } = await import("./frames.ts");
    return openMkv(input.file, options, decoder);
  },
};

const EBML = [0x1a, 0x45, 0xdf, 0xa3];
