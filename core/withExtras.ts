import type { Extra, ExtrasReader, FrameExtras } from "./extras.ts";
import type { DepthFrame } from "./frame.ts";

/** A frame with what a recording holds beside it. */
export type WholeFrame = DepthFrame & Pick<FrameExtras, "motion">;

/** The frame with what its recording holds of it beside depth and colour; what the frame has of its own stays. */
export async function withExtras(
  frame: DepthFrame,
  extras: ExtrasReader | undefined,
  wanted: readonly Extra[],
): Promise<WholeFrame> {
  if (!wanted.some((extra) => extras?.holds.includes(extra))) return frame;
  return { ...(await extras?.read(frame.index, wanted)), ...frame };
}
