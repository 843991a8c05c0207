import type { Bytes } from "./codec.ts";
import type { ColorImage, DepthImage } from "./png.ts";

/** What goes to the worker. */
export interface Order {
  readonly id: number;
  readonly kind: "depth" | "color";
  readonly bytes: Bytes;
  readonly where: string;
  readonly maxMegapixels: number | undefined;
}

/** What comes back. `forUser` marks a `SourceError`: classes do not survive the journey. */
export type Reply =
  | { readonly id: number; readonly result: DepthImage | ColorImage | string }
  | { readonly id: number; readonly failure: string; readonly forUser: boolean };
