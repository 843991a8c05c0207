import { directDecoder } from "../../decode/index.ts";
import { SourceError } from "../../source.ts";
import { fileFormats } from "../fileFormats.ts";
import { byteFile } from "../files/dropped.ts";
import { findFormat } from "../find.ts";
import { type Frames, SeveralTopics } from "../format.ts";
import { formats } from "../formats.ts";
import type { Answer, Failure, PlainFrame, Request } from "./messages.ts";

/** The thread of a page that reads one recording which is a single file: unpacking and decoding stay off the page's own. */
let frames: Frames | undefined;
let told = 0;

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  const { id } = data;
  try {
    post({ id, ...(await answer(data)), warnings: news() });
  } catch (error) {
    post({ id, failure: failureOf(error), warnings: news() });
  }
};

async function answer(request: Request): Promise<Omit<Answer, "id" | "warnings">> {
  if (request.kind === "open") {
    const file = byteFile(request.blob, request.name);
    const head = await file.read(0, 512);
    const found = await findFormat(
      { kind: "file", file, head },
      request.options,
      [...formats, ...fileFormats],
      directDecoder,
    );
    const opened = found.frames;
    frames = opened;
    const times = Float64Array.from({ length: opened.length }, (_, index) => opened.timestampOf(index));
    const { fps, facts, topics, topic } = opened;
    return {
      opened: {
        format: found.format,
        fps,
        facts,
        times,
        ...(topics && { topics }),
        ...(topic !== undefined && { topic }),
      },
    };
  }
  if (!frames) throw new Error("no recording is open");
  if (request.kind === "pose") return { pose: await frames.pose(request.index) };
  const { depth, color, ...rest } = await frames.read(request.index);
  return { frame: { ...rest, depth: depth.data, ...(color && { color: color.data }) } };
}

function news(): string[] {
  const { warnings = [] } = frames ?? {};
  const fresh = warnings.slice(told);
  told = warnings.length;
  return fresh;
}

const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  forUser: error instanceof SourceError,
  ...(error instanceof SeveralTopics && { topics: error.topics }),
});

function post(answer: Answer): void {
  self.postMessage(answer, { transfer: answer.frame ? buffersOf(answer.frame) : [] });
}

const buffersOf = ({ depth, color }: PlainFrame): ArrayBuffer[] =>
  [depth, color].flatMap((array) => (array && array.buffer instanceof ArrayBuffer ? [array.buffer] : []));
