import { NoThread, nodeThread, pageThread, type Thread } from "../../core/thread.ts";
import type { Alignment } from "./align.ts";
import type { RigMessage, RigQuestion } from "./messages.ts";

const startThread = (): Thread<RigQuestion, RigMessage> =>
  import.meta.env.SSR
    ? // The build puts the address of dist/align.js here: see config/reader.ts.
      nodeThread(new URL("./alignWorker.ts", import.meta.url), "depthloom align")
    : pageThread(new Worker(new URL("./alignWorker.ts", import.meta.url), { type: "module", name: "depthloom align" }));

/** Aligns a rig on a thread of its own. `found` is `undefined` where there is no such thread; `end` ends the thread. */
export function solveAside(question: RigQuestion, onStep: (done: number, of: number) => void) {
  let thread: Thread<RigQuestion, RigMessage>;
  try {
    thread = startThread();
  } catch {
    return { found: Promise.resolve(undefined), async end() {} };
  }
  const { post, listen, end } = thread;
  const found = new Promise<Alignment | undefined>((resolve, reject) => {
    listen(
      (message) => {
        if ("step" in message) onStep(message.step.done, message.step.of);
        else if ("found" in message) resolve(message.found);
        else reject(message.failure);
      },
      (error) => (error instanceof NoThread ? resolve(undefined) : reject(error)),
    );
    post(question);
  });
  return { found, end };
}
