import { regionOf } from "../../../../measure/regionOf.ts";
import type { Pixel, Region } from "../../../../measure/scene.ts";
import type { Field } from "../../state/field.ts";

/** A part of the image with a name, and its true distance by a tape where somebody has typed that in. */
export interface NamedRegion extends Region {
  readonly name: string;
  readonly tapeMm: number | undefined;
}

const MOST = 12;
/** Whether so many places are measured at once as can be. */
export const isFull = ({ length }: readonly unknown[]): boolean => length >= MOST;
/** What a pane says of a full list. */
export const fullText = (what: string): string => `${MOST} ${what} are the most: remove one to measure another`;
export const MOST_TAPE_MM = 999_999;
/** The value of a list that is empty. */
export const NONE = "none";

/** A kind of list that a setting holds as text, such as "320,240;100,80". */
interface ListKind<T> {
  readonly expects: string;
  readonly read: (part: string) => T | undefined;
  readonly write: (value: T) => string;
}

export const PIXELS: ListKind<Pixel> = {
  expects: "pixels as column,row;column,row",
  read(part) {
    const [, x, y] = part.match(/^(\d{1,5}),(\d{1,5})$/) ?? [];
    return x === undefined ? undefined : { x: Number(x), y: Number(y) };
  },
  write: ({ x, y }) => `${x},${y}`,
};

export const REGIONS: ListKind<NamedRegion> = {
  expects:
    "regions as name:column,row,width,height;… or name:outline,column,row,column,row,…, with a tape’s millimetres behind the others where they are known",
  read(part) {
    const found = part.match(/^([^:;]{1,40}):(outline,)?((?:\d{1,5},){3,128}\d{1,6}(?:\.\d+)?)$/);
    if (!found) return undefined;
    const [, name, outline] = found;
    const numbers = found[3].split(",").map(Number);
    // Places are pairs of numbers; an odd last number is the length of a tape.
    const tapeMm = numbers.length % 2 === 1 ? numbers.pop() : undefined;
    const corners = numbers.flatMap((x, k) => (k % 2 === 0 ? [{ x, y: numbers[k + 1] }] : []));
    const [x, y, width, height, ...more] = numbers;
    if (!numbers.every(Number.isInteger)) return undefined;
    if (outline) return corners.length > 2 ? { name, tapeMm, ...regionOf(corners) } : undefined;
    return more.length === 0 && width > 0 && height > 0 ? { name, tapeMm, x, y, width, height } : undefined;
  },
  write({ name, x, y, width, height, outline, tapeMm }) {
    const place = outline ? ["outline", ...outline.flatMap((corner) => [corner.x, corner.y])] : [x, y, width, height];
    const tape = tapeMm && tapeMm <= MOST_TAPE_MM ? Number(tapeMm.toFixed(3)) : 0;
    return `${name}:${[...place, ...(tape > 0 ? [tape] : [])].join()}`;
  },
};

/** The places that a setting's text lists; the setting's field has checked the text. */
export const placesIn = <T>({ read }: ListKind<T>, text: string): readonly T[] =>
  text === NONE ? [] : text.split(";").flatMap((part) => read(part) ?? []);

/** The text of a list of places. */
export const textOf = <T>({ write }: ListKind<T>, places: readonly T[]): string =>
  places.length === 0 ? NONE : places.map(write).join(";");

/** Declares a setting that is a list of places. */
export const listField = <T>(label: string, kind: ListKind<T>, summary: string, initial = NONE): Field<string> => ({
  kind: "text",
  initial,
  label,
  summary,
  live: true,
  expects: `a list of at most ${MOST} ${kind.expects}, or “${NONE}”`,
  parse(value) {
    if (value === NONE || typeof value !== "string") return value === NONE ? NONE : undefined;
    const parts = value.split(";");
    return parts.length <= MOST && parts.every((part) => kind.read(part) !== undefined) ? value : undefined;
  },
});
