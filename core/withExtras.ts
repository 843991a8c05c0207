import type { Extra, ExtrasReader, FrameExtras } from "./extras.ts";
import type { DepthFrame } from "./frame.ts";

/** A frame with what a recording holds beside it. */
export type WholeFrame = DepthFrame & Pick<FrameExtras, "motion">;

/** Adds to a frame what its recording holds beside depth and colour; fields that the frame has already stay. */
export async function withExtras(
  frame: DepthFrame,
  extras: ExtrasReader | undefined,
  wanted: readonly Extra[],
): Promise<WholeFrame> {
  if (!wanted.some((extra) => extras?.holds.includes(extra))) return frame;
  return { ...(await extras?.read(frame.index, wanted)), ...frame };
}
