import type { Thread } from "./thread.ts";

/** Starts a page's worker that reads a recording. The page's content security policy must allow `worker-src 'self'`. */
export const webThread = (): Thread =>
  threadOf(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom reader" }));

export function threadOf<Request, Message>(worker: Worker): Thread<Request, Message> {
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      worker.onmessage = ({ data }: MessageEvent<Message>) => heard(data);
      worker.onerror = ({ message }) => died(new Error(message || "its module cannot be loaded"));
    },
    hold() {},
    end: async () => worker.terminate(),
  };
}
