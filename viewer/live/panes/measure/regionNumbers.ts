import type { LiveRegion } from "../../../../measure/live.ts";
import { cannotTell, type Reading, spellReading, spellSpread } from "../../../../measure/reading.ts";
import type { Region } from "../../../../measure/scene.ts";
import type { Kind, Numbers, NumberTable } from "../plot/numbers.ts";
import type { NamedRegion } from "./places.ts";

/** The cells of a region's row; `frames`: how many a recording has. */
export function cellsOf(
  { valid, distance, area, plane, noise, why = "" }: LiveRegion,
  tapeMm: number | undefined,
  frames = 3,
): string[] {
  const off: Reading =
    tapeMm === undefined || distance.value === null
      ? cannotTell("mm", "type the tape’s value in")
      : { ...distance, value: distance.value - tapeMm };
  const short = (reading: Reading | undefined) =>
    reading?.value === null ? (reading.why ?? "–") : reading ? spellReading(reading) : "–";
  return [
    ...[short(valid), short(distance), tapeMm === undefined ? "–" : short(off)],
    ...(plane
      ? [`${spellSpread(plane.rmsMm)} mm`, short(plane.tiltX), short(plane.tiltY), short(area)]
      : [why, "", "", ""]),
    short(noise).replace(/^needs 3 frames.*/, (few) =>
      frames < 3 ? `needs 3 frames, this recording has ${frames === 1 ? "one" : frames}` : few,
    ),
  ];
}

/** The numbers of a region over time. */
export const kindsOf = (region: string) =>
  ({
    valid: { name: `${region} valid`, unit: "%" },
    distance: { name: `${region} distance`, unit: "mm" },
    error: { name: `${region} distance ±`, unit: "mm" },
    rms: { name: `${region} plane rms`, unit: "mm" },
    tiltX: { name: `${region} turned left–right`, unit: "°" },
    tiltY: { name: `${region} turned up–down`, unit: "°" },
    area: { name: `${region} area`, unit: "cm²" },
    areaError: { name: `${region} area ±`, unit: "cm²" },
    noise: { name: `${region} noise`, unit: "mm" },
  }) as const satisfies Readonly<Record<string, Kind>>;

/** All numbers of a region. */
export const allOf = ({ name }: Pick<NamedRegion, "name">): readonly Kind[] => Object.values(kindsOf(name));

/**
 * Call this when other regions are measured than before. The readings of one that was renamed go on under its new name; a new region begins
 * without those of an earlier one of its name.
 */
export function renewIn(frames: NumberTable, before: readonly NamedRegion[], now: readonly NamedRegion[]): void {
  for (const region of now) {
    const was = before.find((one) => spotOf(one) === spotOf(region) && now.every(({ name }) => name !== one.name));
    if (before.some((one) => one.name === region.name && spotOf(one) === spotOf(region))) continue;
    if (was) frames.rename(allOf(was), allOf(region));
    else frames.forget(allOf(region));
  }
}

/** A region's place in the image, as a text that can be compared. */
export const spotOf = ({ x, y, width, height, outline }: Region) => JSON.stringify([x, y, width, height, outline]);

/** Keeps the readings of a frame for plots and CSV. */
export function noteIn(
  numbers: Numbers,
  index: number,
  name: string,
  { valid, distance, area, plane, noise }: LiveRegion,
): void {
  const { value: distanceMm, plusMinus: error } = distance;
  const [areaCm2, areaError] = [area.value, area.plusMinus].map((m2) => m2 && 1e4 * m2);
  const [tiltX, tiltY] = [plane?.tiltX.value, plane?.tiltY.value];
  const planeNumbers = { rms: plane?.rmsMm, tiltX, tiltY, area: areaCm2, areaError };
  const share = valid.value === null ? null : 100 * valid.value;
  const values = { valid: share, distance: distanceMm, error, ...planeNumbers, noise: noise.value };
  const kinds = kindsOf(name);
  for (const key of Object.keys(values) as (keyof typeof values)[]) numbers.frames.put(index, kinds[key], values[key]);
}
