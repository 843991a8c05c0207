const files = new WeakMap<Uint8Array, Uint8Array>();

/** Keeps the PNG or JPEG that `pixels` were decoded from, for as long as somebody has `pixels`. Returns `pixels`. */
export function withFile(pixels: Uint8Array, file: Uint8Array): Uint8Array {
  files.set(pixels, file);
  return pixels;
}

/** The PNG or JPEG that these very pixels were decoded from, where it is known; see `withFile`. */
export const fileOf = (pixels: Uint8Array | undefined): Uint8Array | undefined => pixels && files.get(pixels);
