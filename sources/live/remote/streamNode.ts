import { parentPort } from "node:worker_threads";
import type { LiveRequest } from "./messages.ts";
import { LiveServer } from "./server.ts";

/** As many decoded frames may wait for the program as `filter` lets wait: a second of them. */
const AHEAD = 30;

/** Node's thread that receives one live stream, however busy the program is. The build makes dist/stream.js of it. */
const server = new LiveServer((message, transfer) => parentPort?.postMessage(message, transfer), AHEAD);
parentPort?.on("message", (request: LiveRequest) => void server.receive(request));
