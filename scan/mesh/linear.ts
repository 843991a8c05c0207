/** sRGB to linear light, which needs 16 bits in the dark; four numbers for each vertex, as each begins at a multiple of four bytes. */
export function linear(colours: Uint8Array): Uint16Array {
  const table = Uint16Array.from({ length: 256 }, (_, i) => {
    const x = i / 255;
    return Math.round(65535 * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  });
  const made = new Uint16Array((colours.length / 3) * 4).fill(65535);
  for (let i = 0; i < colours.length; i++) made[4 * Math.floor(i / 3) + (i % 3)] = table[colours[i]];
  return made;
}
