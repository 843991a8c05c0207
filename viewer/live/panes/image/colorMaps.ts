import { turbo } from "../../../../stages/paint/cpu.ts";
import { bytesOf, gradient } from "../../view/colourScale.ts";

/** Red, green and blue from 0 to 1, at a place from 0 to 1. */
type Ramp = (t: number) => readonly [number, number, number];

/**
 * matplotlib's map (van der Walt and Smith 2015, CC0), as a polynomial of degree six for each channel, fitted by Matt Zucker (CC0). The
 * constant coefficients come first.
 */
const VIRIDIS = [
  [0.2777273272, 0.0054073445, 0.3340998053],
  [0.1050930431, 1.4046135299, 1.3845901626],
  [-0.3308618287, 0.2148475595, 0.095095163],
  [-4.634230499, -5.7991009734, -19.3324409563],
  [6.2282699363, 14.1799333668, 56.6905526007],
  [4.7763849977, -13.7451453777, -65.3530326334],
  [-5.4354558559, 4.6458526122, 26.3124352496],
] as const;

const viridis: Ramp = (t) => {
  const at = (channel: 0 | 1 | 2) => VIRIDIS.reduceRight((sum, row) => sum * t + row[channel], 0);
  return [at(0), at(1), at(2)];
};

/** From far (0) to near (1): near is light, as in `paint`. The dark ends differ from the background. */
const RAMPS = {
  viridis,
  grey: (t) => [0.14 + 0.86 * t, 0.14 + 0.86 * t, 0.14 + 0.86 * t],
  turbo(t) {
    const word = turbo(0.05 + 0.9 * t);
    return [(word & 255) / 255, ((word >>> 8) & 255) / 255, ((word >>> 16) & 255) / 255];
  },
} as const satisfies Record<string, Ramp>;

export type ColorMap = keyof typeof RAMPS;
/** Turbo, the 3D picture's map, is not perceptually uniform: it separates more steps, and shows bands where there are none. */
export const COLOR_MAPS = { turbo: "Turbo", viridis: "Viridis", grey: "Grey" } as const;

const tables = new Map<ColorMap, Uint32Array>();

/** A map as 256 RGBA words in the byte order of `ImageData`, from far to near. */
export function colorTable(map: ColorMap): Uint32Array {
  const made = tables.get(map);
  if (made) return made;
  const byte = (value: number) => Math.round(255 * Math.min(1, Math.max(0, value)));
  const table = Uint32Array.from({ length: 256 }, (_, i) => {
    const [red, green, blue] = RAMPS[map](i / 255);
    return ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
  });
  tables.set(map, table);
  return table;
}

/** The number of depth values. */
const DEPTHS = 65536;
let logarithms: Float32Array | undefined;

/**
 * Fills a table with a colour word for each depth in the sensor's units. The scale is logarithmic, as in `paint`, since sensors measure
 * near depth more finely. Depth 0, no measurement, gets a transparent colour, so that the background shows.
 */
export function fillDepthTable(table: Uint32Array, map: ColorMap, near: number, far: number): void {
  logarithms ??= Float32Array.from({ length: DEPTHS }, (_, value) => Math.log(Math.max(1, value)));
  const colors = colorTable(map);
  const end = Math.log(far);
  const scale = 255 / Math.max(end - Math.log(near), 1e-3);
  for (let value = 1; value < DEPTHS; value++) {
    table[value] = colors[Math.min(255, Math.max(0, Math.round((end - logarithms[value]) * scale)))];
  }
  table[0] = 0;
}

/** A map as a gradient for style sheets, near on the left. */
export function gradientOf(map: ColorMap): string {
  const table = colorTable(map);
  return gradient((t) => bytesOf(table[Math.round(255 * (1 - t))]));
}
