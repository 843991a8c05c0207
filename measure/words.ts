import type { PlaneReading } from "./planeReading.ts";
import { type Reading, spellReading, spellSpread } from "./reading.ts";

/** The sides of a box in one line, in which a reason that several sides share is said once. */
export function sidesText(box: Record<"length" | "width" | "height", Reading>): string {
  const sides = Object.entries(box);
  const whys = new Set(sides.map(([, { why }]) => why));
  if (sides.every(([, { value }]) => value !== null)) {
    const [why] = whys.size === 1 ? whys : [];
    return `${sides.map(([, side]) => (why ? bare : spellReading)(side)).join(" × ")}${why ? ` (${why})` : ""}`;
  }
  const known = sides.flatMap(([name, side]) => (side.value === null ? [] : [told(name, side)]));
  const missing = [...whys].flatMap((reason) => {
    const alike = sides.filter(([, { value, why }]) => value === null && why === reason);
    return alike.length > 0 ? [told(LIST.format(alike.map(([name]) => name)), alike[0][1])] : [];
  });
  return [...known, ...missing].join("; ");
}

const LIST = new Intl.ListFormat("en-GB");

export const told = (what: string, reading: Reading): string =>
  reading.value === null ? `${what} cannot be told: ${reading.why}` : `${what} ${spellReading(reading)}`;

/** A change within its own ± may be none. */
export const toldChange = ({ value, why = "", ...rest }: Reading): string => {
  if (!value) return why;
  const size = spellReading({ ...rest, value: Math.abs(value) });
  return Math.abs(value) <= (rest.plusMinus ?? 0)
    ? `none seen (${size})`
    : `${size} ${value < 0 ? "taken away" : "added"}`;
};

export const planeText = ({ tilt, tiltX, tiltY, distance, rmsMm }: PlaneReading): string =>
  `tilt ${bare(tilt)}, where 0° faces the camera (${bare(tiltX)} left–right, ${bare(tiltY)} up–down), ` +
  `${bare(distance)} away, flat to ${spellSpread(rmsMm)} mm (rms)${distance.why ? `, ${distance.why}` : ""}`;

/** A reading without what it rests on, which is said once of all readings of a line. */
export const bare = ({ value, plusMinus, unit }: Reading): string => spellReading({ value, plusMinus, unit });

/** The same as numbers with names. */
export const planeNumbers = ({ tilt, tiltX, tiltY, distance, rmsMm }: PlaneReading) =>
  [
    ["tilt, where 0° faces the camera", spellReading(tilt)],
    ["turned left–right", spellReading(tiltX)],
    ["turned up–down", spellReading(tiltY)],
    ["distance", spellReading(distance)],
    ["flatness (rms)", `${spellSpread(rmsMm)} mm`],
  ] as const;

/** A text of the measurements in the words of a page, on which pixels are clicked. */
export const inPage = (text: string): string =>
  text.startsWith("this may be a wall")
    ? "This may be a wall. Press Floor and click the floor."
    : text
        .replace("name a pixel on a top", "click a flat top")
        .replace("name a pixel of", "press Floor and click")
        .replace(/pixel \S+ sees the floor/, "this is the floor");
