import { parentPort } from "node:worker_threads";
import type { Request } from "./messages.ts";
import { ReaderServer } from "./server.ts";

/** Node's thread that reads one recording. The build makes dist/reader.js of it. */
const server = new ReaderServer((message, transfer) => parentPort?.postMessage(message, transfer));
parentPort?.on("message", (request: Request) => void server.receive(request));
