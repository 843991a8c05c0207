import { messageOf } from "../../../core/caught.ts";
import { buffersOf, type PlainFrame, plainOf } from "../../../core/plainFrame.ts";
import { type SyntheticRecording, syntheticRoom } from "../../../sources/synthetic/index.ts";
import { type OfferedName, optionsOf } from "./scenes.ts";

/** Asks for a scene, which comes first and says what it is, then for frames of it. "close" comes last and ends the worker. */
export interface Question {
  readonly of: OfferedName | number;
}

export interface SceneAnswer {
  readonly id: number;
  readonly facts?: { readonly name: string; readonly format: string; readonly fps: number; readonly length: number };
  readonly frame?: PlainFrame;
  readonly error?: string;
}

let recording: SyntheticRecording | undefined;

self.addEventListener("message", ({ data }: MessageEvent<"close" | (Question & { readonly id: number })>) => {
  // Ended from within: to be terminated at work crashes the page in some versions of Chromium.
  if (data === "close") self.close();
  else void answer(data);
});

async function answer({ id, of }: Question & { readonly id: number }): Promise<void> {
  try {
    if (typeof of === "string") {
      recording = syntheticRoom(optionsOf(of, navigator.hardwareConcurrency));
      const { name, format, fps, length } = recording;
      post({ id, facts: { name, format, fps, length } });
      return;
    }
    if (!recording) throw new Error("a frame was asked for before its scene");
    post({ id, frame: plainOf(await recording.read(of)) });
  } catch (error) {
    post({ id, error: messageOf(error) });
  }
}

function post(answer: SceneAnswer): void {
  self.postMessage(answer, { transfer: answer.frame ? buffersOf(answer.frame) : [] });
}
