import { threadOf } from "../../recorded/remote/threadWeb.ts";
import type { LiveThread } from "./client.ts";

/** Starts a page's worker that receives a stream. The page's content security policy must allow `worker-src 'self'`. */
export const liveThread = (): LiveThread =>
  threadOf(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom stream" }));
