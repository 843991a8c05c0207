import type { Format } from "./format.ts";

/** A NumPy array: H×W, or N×H×W of as many frames; 16-bit whole numbers, or floats of metres. */
export const npy: Format = {
  name: "npy",
  sign: "a NumPy .npy",
  async open(input, options) {
    if (input.kind !== "file" || ![0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59].every((byte, i) => input.head[i] === byte)) {
      return undefined;
    }
    const { openNpy } = await import("./still/npy.ts");
    return openNpy(input.file, options);
  },
};

/** A .npz is a zip of .npy files, so it is opened as files: the one called depth, or the only one that can be a depth image. */
export const npz: Format = {
  name: "npz",
  sign: ".npy",
  async open(input, options) {
    if (input.kind !== "files") return undefined;
    const names = (await input.files.list()).filter((name) => /\.npy$/i.test(name));
    if (names.length === 0) return undefined;
    const { openNpz } = await import("./still/npz.ts");
    return openNpz(input.files, names, options);
  },
};
