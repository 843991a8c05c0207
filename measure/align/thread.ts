import type { Alignment } from "./align.ts";
import type { RigMessage, RigQuestion } from "./messages.ts";

/** A thread that was started. */
interface Thread {
  post(question: RigQuestion): void;
  listen(heard: (message: RigMessage) => void, died: (why: unknown) => void): void;
  end(): void;
}

/** The build for Node puts the address of dist/align.js here: see config/reader.ts. */
const module = import.meta.env.SSR ? new URL("./alignWorker.ts", import.meta.url) : undefined;

/** Starts a thread. Throws, or has it die unheard, where none is allowed or where its module is missing, as in a checkout. */
function startThread(): Thread {
  if (module) {
    if (module.pathname.endsWith(".ts")) throw new Error("Node runs no TypeScript");
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const worker = new Worker(module, { name: "depthloom align" });
    return {
      post: (question) => worker.postMessage(question),
      listen: (heard, died) => worker.on("message", heard).on("error", died),
      end: () => void worker.terminate(),
    };
  }
  const worker = new Worker(new URL("./alignWorker.ts", import.meta.url), { type: "module", name: "depthloom align" });
  return {
    post: (question) => worker.postMessage(question),
    listen(heard, died) {
      worker.onmessage = ({ data }: MessageEvent<RigMessage>) => heard(data);
      worker.onerror = (event) => died(new Error(event.message));
    },
    end: () => worker.terminate(),
  };
}

/** Aligns a rig on a thread of its own. `found` is `undefined` where there is no such thread; `end` ends the thread. */
export function solveAside(question: RigQuestion, onStep: (done: number, of: number) => void) {
  let thread: Thread | undefined;
  try {
    thread = startThread();
  } catch {
    return { found: Promise.resolve(undefined), end() {} };
  }
  const { post, listen, end } = thread;
  const found = new Promise<Alignment | undefined>((resolve, reject) => {
    let isHeard = false;
    const died = (why: unknown) => (isHeard ? reject(why) : resolve(undefined));
    listen((message) => {
      isHeard = true;
      if ("step" in message) onStep(message.step.done, message.step.of);
      else if ("found" in message) resolve(message.found);
      else reject(message.failure);
    }, died);
    post(question);
  });
  return { found, end };
}
