/** The number of first bytes that contain a PNG's size and kind. */
export const PNG_HEAD = 26;

/** Whether a PNG's first `PNG_HEAD` bytes are those of an image of 8 bits in colour, with or without alpha. */
export const isColorPng = (head: Uint8Array): boolean => head[24] === 8 && (head[25] === 2 || head[25] === 6);

/** A PNG's size from its first `PNG_HEAD` bytes, and whether it is 16-bit greyscale; `undefined` for any other file. */
export function pngSize(data: Uint8Array): { width: number; height: number; depth: boolean } | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < PNG_HEAD || view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20), depth: data[24] === 16 && data[25] === 0 };
}
