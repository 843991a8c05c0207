import { named } from "../../../files/extensions.ts";
import { extensions } from "../../../format/extensions/sens.ts";
import type { Format } from "../../../format/format.ts";

/** A scan of ScanNet (Dai et al., CVPR 2017): one file of compressed colour and depth, with poses and the intrinsics of both cameras. */
export const sens: Format = {
  name: "sens",
  sign: "a ScanNet .sens",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    const { head, file } = input;
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    // The file begins with a version and the length of the sensor's name. That alone proves little, so the file's name has to agree.
    const known = head.length >= 12 && view.getUint32(4, true) < 256 && view.getUint32(8, true) === 0;
    if (!named(extensions).test(file.name) || !known) return undefined;
    const { openSens } = await import("./frames.ts");
    return openSens(file, options, decoder);
  },
};
