import type { Format } from "../../../format/format.ts";

/** A recording of OpenNI 1 or 2 (Kinect v1, ASUS Xtion, PrimeSense, Orbbec Astra): records of nodes, their properties and frames. */
export const oni: Format = {
  name: "oni",
  sign: "an OpenNI .oni",
  async open(input, options, decoder) {
    if (input.kind !== "file" || ![..."NI10"].every((char, i) => input.head[i] === char.charCodeAt(0)))
      return undefined;
    const { openOni } = await import("./frames.ts");
    return openOni(input.file, options, decoder);
  },
};
