import type { Format } from "../../../format/format.ts";
import { depthKind } from "../../depthFile.ts";

/**
 * A single depth image as a recording of one frame: PNG or PGM of 16 bits; TIFF of 16 bits or floats, each of its images a frame; OpenEXR.
 * Floats are metres.
 */
export const image: Format = {
  name: "image",
  sign: "a depth image (PNG, TIFF, EXR, PGM)",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    const { head, file } = input;
    const kind = depthKind(head);
    if (kind === undefined || kind === "NumPy") return undefined;
    const { openImage } = await import("./frames.ts");
    return openImage(file, options, decoder);
  },
};
