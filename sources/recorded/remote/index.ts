import { type DepthFrame, image } from "../../frame.ts";
import { SourceError } from "../../source.ts";
import type { Found } from "../find.ts";
import { type OpenOptions, SeveralTopics } from "../format.ts";
import type { Answer, Failure, PlainFrame, Request } from "./messages.ts";

type Question = Request extends infer R ? (R extends Request ? Omit<R, "id"> : never) : never;

/** Opens a single file in a worker of its own. Throws what the worker threw. */
export async function openRemote(blob: Blob, name: string, options: OpenOptions): Promise<Found> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom reader" });
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  const warnings: string[] = [];
  let asked = 0;
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    warnings.push(...data.warnings);
    if (data.failure) asker?.reject(errorOf(data.failure, name));
    else asker?.resolve(data);
  };
  worker.onerror = (event) => failAll(new Error(`${name}: its reading worker failed: ${event.message}`));
  const ask = (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ ...question, id });
    });
  const close = () => {
    worker.terminate();
    failAll(new SourceError(`${name}: it was closed`));
  };
  try {
    const { opened } = await ask({ kind: "open", blob, name, options });
    if (!opened) throw new Error(`${name}: its reading worker did not open it`);
    const { format, times, ...rest } = opened;
    return {
      format,
      frames: {
        ...rest,
        length: times.length,
        warnings,
        timestampOf: (index) => times[index],
        async read(index) {
          const { frame } = await ask({ kind: "frame", index });
          if (!frame) throw new Error(`${name}: its reading worker has no frame ${index}`);
          return wrap(frame);
        },
        pose: async (index) => (await ask({ kind: "pose", index })).pose,
        close,
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function errorOf({ message, forUser, topics }: Failure, name: string): Error {
  if (topics) return new SeveralTopics(name, topics);
  return forUser ? new SourceError(message) : new Error(message);
}

function wrap({ depth, color, ...rest }: PlainFrame): DepthFrame {
  const { width, height } = rest.intrinsics;
  return {
    ...rest,
    depth: image(depth, [height, width]),
    ...(color && { color: image(color, [height, width, 4]) }),
  };
}
