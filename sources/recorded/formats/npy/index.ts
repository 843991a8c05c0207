import type { Format } from "../../../format/format.ts";

/** A NumPy array: H×W, or N×H×W for N frames; 16-bit whole numbers, or floats in metres. */
export const npy: Format = {
  name: "npy",
  sign: "a NumPy .npy",
  async open(input, options) {
    if (input.kind !== "file" || ![0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59].every((byte, i) => input.head[i] === byte)) {
      return undefined;
    }
    const { openNpy } = await import("./frames.ts");
    return openNpy(input.file, options);
  },
};

/** A .npz is a zip of .npy files, so it opens as files: the array called depth, or the only one. */
export const npz: Format = {
  name: "npz",
  sign: ".npy",
  async open(input, options) {
    if (input.kind !== "files") return undefined;
    const names = (await input.files.list()).filter((name) => /\.npy$/i.test(name));
    return names.length === 0 ? undefined : (await import("./npz.ts")).openNpz(input.files, names, options);
  },
};
