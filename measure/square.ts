/** Calls `look` with the pixels of a square around a pixel. */
export function eachAround(
  i: number,
  { width, height }: { readonly width: number; readonly height: number },
  reach: number,
  look: (j: number) => void,
): void {
  const [u, v] = [i % width, Math.floor(i / width)];
  for (let y = Math.max(0, v - reach); y <= Math.min(height - 1, v + reach); y++)
    for (let x = Math.max(0, u - reach); x <= Math.min(width - 1, u + reach); x++) look(y * width + x);
}
