import type { Bytes } from "./codec.ts";
import type { ColorImage, DepthImage } from "./png.ts";

/** What the decoding worker receives. */
export interface Order {
  readonly id: number;
  readonly kind: "depth" | "color";
  readonly bytes: Bytes;
  readonly where: string;
  readonly maxMegapixels: number | undefined;
}

/** What the decoding worker answers. Classes do not survive sending, so `forUser` marks a `SourceError`. */
export type Reply =
  | { readonly id: number; readonly result: DepthImage | ColorImage | string }
  | { readonly id: number; readonly failure: string; readonly forUser: boolean };
