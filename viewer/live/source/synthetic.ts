import { type DepthFrame, framesOf, image, type Recording } from "../../../sources/index.ts";
import type { Answer, PlainFrame, Request } from "./syntheticWorker.ts";

/** The synthetic room, ray-traced in a worker so that the page stays quick. `read` costs some 30 ms of that worker. */
export async function openSynthetic(): Promise<Recording> {
  const worker = new Worker(new URL("./syntheticWorker.ts", import.meta.url), {
    type: "module",
    name: "synthetic room",
  });
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let asked = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) asker?.resolve(data);
    else asker?.reject(new Error(data.error));
  });
  const ask = (index: number | undefined): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      const request: Request = { id, index };
      worker.postMessage(request);
    });
  worker.addEventListener("error", (event) => {
    for (const { reject } of waiting.values())
      reject(new Error(`synthetic room: ${event.message || "its worker does not start"}`));
    waiting.clear();
  });
  const { facts } = await ask(undefined);
  if (!facts) throw new Error("synthetic room: the worker does not know its room");
  const recording: Recording = {
    ...facts,
    warnings: [],
    get frames$() {
      return framesOf(recording);
    },
    async read(index) {
      const { frame } = await ask(index);
      if (!frame) throw new Error(`synthetic room: no frame ${index}`);
      return wrap(frame);
    },
    async close() {
      const last: Request = "close";
      worker.postMessage(last);
    },
  };
  return recording;
}

function wrap({ depth, color, ...rest }: PlainFrame): DepthFrame {
  const { width, height } = rest.intrinsics;
  return {
    ...rest,
    depth: image(depth, [height, width]),
    ...(color && { color: image(color, [height, width, 4]) }),
  };
}
