import type { Request } from "./messages.ts";
import { ReaderServer } from "./server.ts";

/** A page's worker that reads one recording, so that reading, unpacking and decoding stay off the page's own thread. */
const server = new ReaderServer((message, transfer) => self.postMessage(message, { transfer }));
self.onmessage = ({ data }: MessageEvent<Request>) => void server.receive(data);
