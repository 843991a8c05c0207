import type { RecordingInput } from "../../../sources/index.ts";

/** A side of the page that shows two sources side by side: 0 is the left one. */
export type Side = 0 | 1;

/** When a recording plays, ms since its first frame, and what its clock says. */
export interface Span {
  /** The time of the first frame that plays. */
  readonly from: number;
  /** The dates of the recording's first and last frame, ms since 1970; absent where its clock tells no date. */
  readonly dates?: readonly [first: number, last: number] | undefined;
}

/** The time that a half shows or is to show, ms since the first frame of its own recording. */
export interface Time {
  readonly kind: "time";
  readonly ms: number;
  readonly playing: boolean;
  readonly rate: number;
  /** How often the user of that half had it play, pause, seek or change its speed by then: a message about fewer acts is dropped. */
  readonly acts: number;
}

/** Where the picture's camera stands: the numbers that `numbersOf` gives. */
interface View {
  readonly kind: "view";
  readonly place: readonly number[];
}

/** The direction in which somebody points, x and y at a distance of 1 before the depth camera; `null`: nobody points. */
interface Cursor {
  readonly kind: "cursor";
  readonly ray: readonly [x: number, y: number] | null;
}

/** The messages of a half to the page that holds both. */
export type FromHalf =
  /** Another source plays, or another part of it; `span` is `null` for a live one. */
  | { readonly kind: "opened"; readonly name: string; readonly span: Span | null }
  | Time
  /** Playing came to the last frame; `loop`: the user has it begin again. */
  | (Pick<Time, "ms" | "rate"> & { readonly kind: "ended"; readonly loop: boolean })
  | View
  | Cursor
  /** Asks for the files that the page was opened with. */
  | { readonly kind: "want" };

/** The messages of that page to a half. */
export type ToHalf =
  | Time
  | View
  | Cursor
  /** Whether another half decides when playing begins again. */
  | { readonly kind: "clock"; readonly shared: boolean }
  | { readonly kind: "input"; readonly input: RecordingInput | null };

/**
 * Has `take` called with the messages of one window of this origin, and of no other. Messages that are not the viewer's own, such as a
 * browser extension's, have no `kind` that `take` knows. Returns a function that ends the listening.
 */
export function listenTo<T>(window: () => unknown, take: (message: T) => void): () => void {
  const listener = ({ source, origin, data }: MessageEvent) => {
    if (source === null || source !== window() || origin !== location.origin) return;
    if (typeof data?.kind === "string") take(data as T);
  };
  addEventListener("message", listener);
  return () => removeEventListener("message", listener);
}
