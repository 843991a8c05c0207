import type { ExtrasReader } from "./extras.ts";
import type { DepthFrame } from "./frame.ts";

/** The frame with what its recording holds of it beside depth and colour; what the frame has of its own stays. */
export async function withExtras(
  frame: DepthFrame,
  extras: ExtrasReader | undefined,
  wanted: readonly ("metadata" | "infrared")[],
): Promise<DepthFrame> {
  if (!wanted.some((extra) => extras?.holds.includes(extra))) return frame;
  return { ...(await extras?.read(frame.index, wanted)), ...frame };
}
