import { solve } from "./align.ts";
import type { RigMessage, RigQuestion } from "./messages.ts";
import { RigCamera } from "./rig.ts";

/** The thread that aligns one rig: in a page a Worker, in Node a worker thread, whose module the build writes to dist/align.js. */
const node = import.meta.env.SSR ? process.getBuiltinModule("node:worker_threads").parentPort : undefined;
const say = (message: RigMessage) => (node ? node.postMessage(message) : self.postMessage(message));

function answer({ rig, facts }: RigQuestion): void {
  try {
    const cameras = rig.map((taken) => new RigCamera(taken));
    const steps = solve(cameras, facts);
    let next = steps.next();
    for (; !next.done; next = steps.next()) say({ step: next.value });
    say({ found: next.value });
  } catch (failure) {
    say({ failure });
  }
}

if (node) node.once("message", answer);
else self.onmessage = ({ data }: MessageEvent<RigQuestion>) => answer(data);
