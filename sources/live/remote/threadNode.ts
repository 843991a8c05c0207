import { startThread } from "../../recorded/remote/threadNode.ts";
import type { LiveThread } from "./client.ts";

/** The build puts the address of dist/stream.js here: see config/reader.ts. */
const module = new URL("./streamNode.ts", import.meta.url);

/** Starts a thread of Node that receives a stream. Throws as `startThread` does. */
export const nodeThread = (): LiveThread => startThread(module, { name: "depthloom stream" });
