import type { Format } from "../../format.ts";

const STARTS: readonly (readonly [string, readonly number[]])[] = [
  ["PNG", [0x89, 0x50, 0x4e, 0x47]],
  ["TIFF", [0x49, 0x49, 42, 0]],
  ["TIFF", [0x4d, 0x4d, 0, 42]],
  ["OpenEXR", [0x76, 0x2f, 0x31, 0x01]],
];

/** A single depth image as a recording of one frame: PNG of 16 bits; TIFF of 16 bits or floats; OpenEXR. Floats are metres. */
export const image: Format = {
  name: "image",
  sign: "a depth image (PNG, TIFF, EXR)",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    const { head, file } = input;
    const kind = STARTS.find(([, start]) => start.every((byte, i) => head[i] === byte))?.[0];
    if (kind === undefined) return undefined;
    const { openImage } = await import("./frames.ts");
    return openImage(file, kind, options, decoder);
  },
};
