import { shownAddress } from "../../sources/core/address.ts";
import { plain } from "../../sources/core/check.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { UsageError } from "../report/failure.ts";
import { checkPlace, openPlace, warningsOf } from "../report/place.ts";
import { type LiveFlags, liveOf, type OpenFlags, openingOf } from "./opening.ts";
import { onInterrupt, say } from "./terminal.ts";

interface Flags extends OpenFlags, LiveFlags {
  readonly start: number;
  readonly frames: number;
}

/**
 * Hands the frames of what a command line names to `take`, in order, up to `frames` of them or an interrupt; those that cannot be read are
 * left out. Says the source's warnings. Then `tell` says what was found, or gives `undefined` where there was no frame. Closes the source.
 */
export async function everyFrame(
  recording: string,
  flags: Flags,
  take: (frame: DepthFrame) => void,
  tell: () => Promise<unknown> | undefined,
): Promise<void> {
  const opening = { ...openingOf(flags), ...liveOf(recording, flags) };
  checkPlace(recording, opening);
  const { framesFor, planOf } = await import("../replay/frames.ts");
  const { start, frames } = flags;
  const interrupt = onInterrupt();
  const source = await openPlace(recording, { ...opening, signal: interrupt.signal });
  try {
    await framesFor(source, planOf(source, { start, frames, loop: 1 }), "lossless").forEach((frame) => {
      if (!frame.fault) take(frame);
    });
    const told = tell();
    if (!told) throw new UsageError(`${plain(shownAddress(recording))}: it has no frame that can be read`);
    for (const line of warningsOf(source)) say(`warning: ${plain(line)}`);
    await told;
  } finally {
    await source.close();
    await interrupt.release();
  }
}
