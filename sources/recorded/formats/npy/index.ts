import type { Format } from "../../../format/format.ts";

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
