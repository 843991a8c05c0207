/** Images of colour in an array of bytes. */
interface NpyColors {
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  /** An image as RGBA. */
  at(index: number): Uint8Array<ArrayBuffer>;
}

/** The colours in a whole `.npy` file of bytes, N×H×W×3 or N×H×W×4 (H×W×3 of one image); `undefined` for any other array. */
export function colorsOf(bytes: Uint8Array): NpyColors | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 256));
  const axes = (/'shape':\s*\(([\d,\s]*)\)/.exec(head)?.[1].match(/\d+/g) ?? []).map(Number);
  const [frames, height, width, step] = axes.length === 3 ? [1, ...axes] : axes;
  const size = frames * height * width * step;
  const isColor = axes.length >= 3 && axes.length <= 4 && (step === 3 || step === 4) && size > 0;
  if (!isColor || !/'[|<]?u1'/.test(head) || /order':\s*True/.test(head) || bytes.length < size) return undefined;
  const start = bytes.length - size;
  const at = (index: number) => {
    const rgba = new Uint8Array(4 * width * height).fill(255);
    const from = start + index * width * height * step;
    for (let i = 0; i < width * height; i++) rgba.set(bytes.subarray(from + step * i, from + step * i + 3), 4 * i);
    return rgba;
  };
  return { frames, width, height, at };
}
