// @ts-check
// A second thread in Node. It calls an export of modules on a shared memory, which takes parts of a job until none is left; then it waits
// for the next job. thread.ts starts it from its source text, so that a build needs no separate file.
const { workerData } = require("node:worker_threads");

const { memory, modules, name, job, desk, words } = workerData;
const env = { memory };
for (const module of modules) Object.assign(env, new WebAssembly.Instance(module, { env }).exports);
const work = /** @type {Record<string, unknown>} */ (env)[name];
if (typeof work !== "function") throw new Error(`no kernel is called ${name}`);
const shared = new Int32Array(memory.buffer, job, words.JOB_HEAD);
for (;;) {
  const jobs = Atomics.load(shared, words.JOBS);
  try {
    work(job, desk);
  } catch (error) {
    Atomics.store(shared, words.PENDING, words.FAILED);
    Atomics.notify(shared, words.PENDING);
    throw error;
  }
  Atomics.wait(shared, words.JOBS, jobs);
}
