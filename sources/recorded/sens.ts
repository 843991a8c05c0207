import type { Format } from "./format.ts";

/** A scan of ScanNet (Dai et al., CVPR 2017): one file of compressed colour and depth, with poses and both lenses. */
export const sens: Format = {
  name: "sens",
  sign: "a ScanNet .sens",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    const { head, file } = input;
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    // A version, and the length of the sensor's name: nothing else tells, so the file's name has to agree.
    const known = head.length >= 12 && view.getUint32(4, true) < 256 && view.getUint32(8, true) === 0;
    if (!/\.sens$/i.test(file.name) || !known) return undefined;
    const { openSens } = await import("./sens/frames.ts");
    return openSens(file, options, decoder);
  },
};
