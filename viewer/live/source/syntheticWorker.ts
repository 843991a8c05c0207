import type { DepthFrame } from "../../../sources/core/frame.ts";
import { type SyntheticRecording, syntheticRoom } from "../../../sources/synthetic/index.ts";
import { OFFERED, type OfferedName } from "./scenes.ts";

/** Asks for a scene, which comes first and says what it is, then for frames of it. "close" comes last and ends the worker. */
export type Request = "close" | { readonly id: number; readonly of: OfferedName | number };

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

let recording: SyntheticRecording | undefined;

self.addEventListener("message", ({ data }: MessageEvent<Request>) => {
  // Ended from within: to be terminated at work crashes the page in some versions of Chromium.
  if (data === "close") self.close();
  else void answer(data);
});

async function answer({ id, of }: Exclude<Request, "close">): Promise<void> {
  try {
    if (typeof of === "string") {
      recording = syntheticRoom(OFFERED[of].options);
      const { name, format, fps, length } = recording;
      post({ id, facts: { name, format, fps, length } });
      return;
    }
    if (!recording) throw new Error("a frame was asked for before its scene");
    const { depth, color, ...rest } = await recording.read(of);
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
