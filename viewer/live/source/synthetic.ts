import { type DepthFrame, framesOf, image, type Recording } from "../../../sources/index.ts";
import { nameOfScene, type OfferedName } from "./scenes.ts";
import type { Answer, PlainFrame, Request } from "./syntheticWorker.ts";

/** A synthetic scene, ray-traced in a worker so that the page stays quick. `read` costs some 30 ms of that worker. */
export async function openSynthetic(scene: OfferedName): Promise<Recording> {
  const title = nameOfScene(scene);
  const worker = new Worker(new URL("./syntheticWorker.ts", import.meta.url), {
    type: "module",
    name: title,
  });
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let asked = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) asker?.resolve(data);
    else asker?.reject(new Error(data.error));
  });
  const ask = (of: number | OfferedName): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      const request: Request = { id, of };
      worker.postMessage(request);
    });
  worker.addEventListener("error", (event) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${title}: ${event.message || "its worker does not start"}`));
    waiting.clear();
  });
  const { facts } = await ask(scene);
  if (!facts) throw new Error(`${title}: its worker does not know it`);
  const recording: Recording = {
    ...facts,
    warnings: [],
    get frames$() {
      return framesOf(recording);
    },
    async read(index) {
      const { frame } = await ask(index);
      if (!frame) throw new Error(`${title}: there is no frame ${index}`);
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
