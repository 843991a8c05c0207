import type { Pixel, Rect } from "../../../measure/scene.ts";
import type { Field } from "../../state/field.ts";

/** A part of the image with a name, and its true distance by a tape where somebody has typed that in. */
export interface NamedRegion extends Rect {
  readonly name: string;
  readonly tapeMm: number | undefined;
}

/** At most so many places are measured at once. */
const MOST = 12;
/** The value of a list that is empty. */
export const NONE = "none";

/** A kind of list that a setting holds as text, such as "320,240;100,80". */
interface ListKind<T> {
  readonly expects: string;
  readonly read: (part: string) => T | undefined;
  readonly write: (value: T) => string;
}

const whole = (text: string | undefined) => Number.parseInt(text ?? "", 10);

export const PIXELS: ListKind<Pixel> = {
  expects: "pixels as column,row;column,row",
  read(part) {
    const [, x, y] = part.match(/^(\d{1,5}),(\d{1,5})$/) ?? [];
    return x === undefined ? undefined : { x: whole(x), y: whole(y) };
  },
  write: ({ x, y }) => `${x},${y}`,
};

export const REGIONS: ListKind<NamedRegion> = {
  expects:
    "regions as name:column,row,width,height;…, with a tape’s millimetres behind the height where they are known",
  read(part) {
    const found = part.match(
      /^([^:;]{1,40}):(\d{1,5}),(\d{1,5}),([1-9]\d{0,4}),([1-9]\d{0,4})(?:,(\d{1,6}(?:\.\d+)?))?$/,
    );
    if (!found) return undefined;
    const [, name, x, y, width, height, tape] = found;
    const tapeMm = tape === undefined ? undefined : Number(tape);
    return { name, x: whole(x), y: whole(y), width: whole(width), height: whole(height), tapeMm };
  },
  write: ({ name, x, y, width, height, tapeMm }) =>
    `${name}:${x},${y},${width},${height}${tapeMm === undefined ? "" : `,${tapeMm}`}`,
};

/** The places that a setting's text lists; the setting's field has checked the text. */
export const placesIn = <T>({ read }: ListKind<T>, text: string): readonly T[] =>
  text === NONE ? [] : text.split(";").flatMap((part) => read(part) ?? []);

/** The text of a list of places. */
export const textOf = <T>({ write }: ListKind<T>, places: readonly T[]): string =>
  places.length === 0 ? NONE : places.slice(-MOST).map(write).join(";");

/** Declares a setting that is a list of places. */
export const listField = <T>(label: string, kind: ListKind<T>, summary: string, initial = NONE): Field<string> => ({
  ...{ kind: "text", initial, label, summary, live: true },
  expects: `a list of at most ${MOST} ${kind.expects}, or “${NONE}”`,
  parse(value) {
    if (value === NONE || typeof value !== "string") return value === NONE ? NONE : undefined;
    const parts = value.split(";");
    return parts.length <= MOST && parts.every((part) => kind.read(part) !== undefined) ? value : undefined;
  },
});
