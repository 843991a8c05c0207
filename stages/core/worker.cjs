// @ts-check
// A further thread in Node. For each memory that joins, it calls the export `work` of modules on that memory when the memory's job is
// called; `work` takes parts of the job until none is left. Then the thread waits for the next call. threads.ts starts it from its source
// text, so that a build needs no separate file.
const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");

/** @type {{ words: Int32Array, thread: number, CALLS: number, CALLED: number, PENDING: number, FAILED: number }} */
const { words, thread, CALLS, CALLED, PENDING, FAILED } = workerData;
if (!parentPort) throw new Error("this is not a thread");
/** @type {Map<number, () => void>} */
const members = new Map();

/** @param {{ member: number, memory?: WebAssembly.Memory, modules: WebAssembly.Module[], job: number }} told */
function hear({ member, memory, modules, job }) {
  if (!memory) {
    members.delete(member);
    return;
  }
  const env = { memory };
  for (const module of modules) Object.assign(env, new WebAssembly.Instance(module, { env }).exports);
  const { work } = /** @type {Record<string, unknown>} */ (env);
  if (typeof work !== "function") throw new Error("these modules do not export work");
  const shared = new Int32Array(memory.buffer, job);
  members.set(member, () => {
    try {
      work(job, thread);
    } catch (error) {
      // The part that this thread holds is over for the others, which finish theirs.
      Atomics.store(shared, FAILED, 1);
      if (Atomics.sub(shared, PENDING, 1) === 1) Atomics.notify(shared, PENDING);
      throw error;
    }
  });
}

for (;;) {
  const calls = Atomics.load(words, CALLS);
  for (let told = receiveMessageOnPort(parentPort); told; told = receiveMessageOnPort(parentPort)) hear(told.message);
  members.get(Atomics.load(words, CALLED))?.();
  Atomics.wait(words, CALLS, calls);
}
