import { frameOf } from "../../../core/plainFrame.ts";
import { Rpc } from "../../../core/rpc.ts";
import { framesOf, type Recording } from "../../../sources/index.ts";
import { nameOfScene, type OfferedName } from "./scenes.ts";
import type { Question, SceneAnswer } from "./syntheticWorker.ts";

/** A synthetic scene, ray-traced in a worker so that the page stays quick. `read` costs some 30 ms of that worker. */
export async function openSynthetic(scene: OfferedName): Promise<Recording> {
  const title = nameOfScene(scene);
  const worker = new Worker(new URL("./syntheticWorker.ts", import.meta.url), { type: "module", name: title });
  const rpc = new Rpc<Question, SceneAnswer>((question) => worker.postMessage(question));
  worker.addEventListener("message", ({ data }: MessageEvent<SceneAnswer>) =>
    rpc.answer(data.id, data.error === undefined ? data : new Error(data.error)),
  );
  const ask = (of: number | OfferedName) => rpc.ask({ of });
  worker.addEventListener("error", (event) =>
    rpc.end(new Error(`${title}: ${event.message || "its worker does not start"}`)),
  );
  const { facts } = await ask(scene);
  if (!facts) throw new Error(`${title}: its worker does not know it`);
  const recording: Recording = {
    ...facts,
    // Two scenes may show the same things by different cameras.
    name: title,
    warnings: [],
    get frames$() {
      return framesOf(recording);
    },
    async read(index) {
      const { frame } = await ask(index);
      if (!frame) throw new Error(`${title}: there is no frame ${index}`);
      return frameOf(frame);
    },
    async close() {
      worker.postMessage("close");
    },
  };
  return recording;
}
