/**
 * The origin of a fact about a recording. "files" are the recording's own lists, names and time stamps; "assumed" means that nothing says
 * it. The rest names an option, a camera's driver, a topic of a message log, a file's header, or a file attached to it or lying
 * beside it.
 */
export type Origin =
  | "option"
  | "recording.json"
  | "files"
  | "assumed"
  | "synthetic"
  | `${string} default`
  | `topic ${string}`
  | "header"
  | "driver"
  | `file ${string}`;

/** One property of a recording, written for people to read. */
export interface Fact {
  /** The property. */
  readonly what: "format" | "topic" | "frames" | "unit" | "invalid" | "fps" | "intrinsics" | "colour";
  /** Its value, with the unit. */
  readonly value: string;
  /** Where the value comes from. */
  readonly from: Origin;
}

/** Whether nothing says a property, so that it may be wrong. A lens that a format takes by default counts as assumed, too. */
export const isAssumed = ({ what, from }: Fact): boolean =>
  from === "assumed" || (what === "intrinsics" && from.endsWith(" default"));

/** A value and its origin. */
export interface WithOrigin<T> {
  readonly value: T;
  readonly from: Origin;
  /** One line for the user, where the value is a guess. */
  readonly warning?: string;
}

/** Writes a unit as "0.2 mm". Six digits suffice: 1/5000 m has no exact binary fraction. */
export const unitText = (metresPerUnit: number): string => `${Number((metresPerUnit * 1000).toPrecision(6))} mm`;

export const cameraText = (lens: { fx: number; fy: number; cx: number; cy: number }): string => {
  const [fx, fy, cx, cy] = [lens.fx, lens.fy, lens.cx, lens.cy].map((px) => Number(px.toPrecision(7)));
  return `fx ${fx}, fy ${fy}, cx ${cx}, cy ${cy}`;
};

/** Writes how many frames have something: "all frames", "3 of 40 frames", "none". */
export const shareText = (some: number, all: number): string =>
  some === 0 ? "none" : some === all ? "all frames" : `${some} of ${all} frames`;
