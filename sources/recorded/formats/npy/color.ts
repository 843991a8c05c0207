import { numbersIn } from "./array.ts";

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
  const { type, axes, at: valueAt } = numbersIn(bytes) ?? { type: "", axes: [], at: () => 0 };
  const [frames, height, width, step] = axes.length === 3 ? [1, ...axes] : axes;
  if (axes.length < 3 || axes.length > 4 || !(step === 3 || step === 4) || type !== "u1") return undefined;
  const at = (index: number) => {
    const rgba = new Uint8Array(4 * width * height).fill(255);
    const from = index * width * height;
    for (let i = 0; i < width * height; i++)
      for (let k = 0; k < 3; k++) rgba[4 * i + k] = valueAt(step * (from + i) + k);
    return rgba;
  };
  return { frames, width, height, at };
}
