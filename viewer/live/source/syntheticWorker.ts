import type { DepthFrame } from "../../../sources/frame.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";

/** Asks for a frame, or without an index what the room is. The last ends the worker. */
export type Request = "close" | { readonly id: number; readonly index: number | undefined };

/** A frame whose images are plain arrays, which can be handed over without a copy. */
export type PlainFrame = Omit<DepthFrame, "depth" | "color"> & {
  readonly depth: Uint16Array;
  readonly color: Uint8Array | undefined;
};

export interface Answer {
  readonly id: number;
  readonly facts?: { readonly name: string; readonly format: string; readonly fps: number; readonly length: number };
  readonly frame?: PlainFrame;
  readonly error?: string;
}

const room = syntheticRoom();

self.addEventListener("message", ({ data }: MessageEvent<Request>) => {
  // Ended from within: to be terminated at work crashes the page in some versions of Chromium.
  if (data === "close") self.close();
  else void answer(data);
});

async function answer({ id, index }: Exclude<Request, "close">): Promise<void> {
  try {
    if (index === undefined) {
      const { name, format, fps, length } = room;
      post({ id, facts: { name, format, fps, length } });
      return;
    }
    const { depth, color, ...rest } = await room.read(index);
    post({ id, frame: { ...rest, depth: depth.data, color: color?.data } });
  } catch (error) {
    post({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

function post(answer: Answer): void {
  const { depth, color } = answer.frame ?? {};
  const transfer = [depth, color].flatMap((array) => (array ? [array.buffer as ArrayBuffer] : []));
  self.postMessage(answer, { transfer });
}
