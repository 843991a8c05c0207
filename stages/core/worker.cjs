// @ts-check
// A further thread, in Node or in a page's worker. For each memory that joins, it calls the export `work` of modules on that memory when
// the memory's job is called; `work` takes parts of the job until none is left. Then the thread waits for the next call. threads.ts starts
// it from its source text, so that a build needs no separate file. Nothing here is Node's alone, since pages load this text too.

/** @typedef {{ words: Int32Array, thread: number, told: number, CALLS: number, CALLED: number, PENDING: number, FAILED: number }} Place */
/** @typedef {{ member: number, memory?: WebAssembly.Memory, modules: WebAssembly.Module[], job: number }} Told */

/** Where the thread's words are, by the first message. @type {Place | undefined} */
let place;
/** @type {Map<number, () => void>} */
const members = new Map();
let heard = 0;

/** @param {Told} told @param {Place} place */
function hear({ member, memory, modules, job }, { thread, PENDING, FAILED }) {
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

/** Works until a message is on its way: a thread that waits for calls receives none. @param {Place} place */
function work({ words, told, CALLS, CALLED }) {
  for (;;) {
    const calls = Atomics.load(words, CALLS);
    if (Atomics.load(words, told) !== heard) return;
    members.get(Atomics.load(words, CALLED))?.();
    Atomics.wait(words, CALLS, calls);
  }
}

/** @param {Told | Place} message */
function take(message) {
  if ("words" in message) place = message;
  else if (place) {
    heard++;
    hear(message, place);
    work(place);
  }
}

globalThis.onmessage = ({ data }) => take(data);
