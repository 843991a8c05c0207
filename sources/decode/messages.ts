import type { Bytes } from "./codec.ts";
import type { DecodedColor, DecodedDepth } from "./png.ts";

/** A request to the decoding worker. */
export interface Order {
  readonly id: number;
  readonly kind: "depth" | "color";
  readonly bytes: Bytes;
  readonly where: string;
  readonly maxMegapixels: number | undefined;
}

/** An answer of the decoding worker. Classes do not survive sending, so `forUser` marks a `SourceError`. */
export type Reply =
  | { readonly id: number; readonly result: DecodedDepth | DecodedColor | string }
  | { readonly id: number; readonly failure: string; readonly forUser: boolean };
