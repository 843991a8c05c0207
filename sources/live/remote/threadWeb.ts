import type { LiveThread } from "./client.ts";
import type { LiveMessage } from "./messages.ts";

/** Starts a page's worker that receives a stream. The page's content security policy must allow `worker-src 'self'`. */
export function liveThread(): LiveThread {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom stream" });
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      worker.onmessage = ({ data }: MessageEvent<LiveMessage>) => heard(data);
      worker.onerror = ({ message }) => died(message || "its module cannot be loaded");
    },
    end: () => worker.terminate(),
  };
}
