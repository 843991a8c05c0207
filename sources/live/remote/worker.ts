import type { LiveRequest } from "./messages.ts";
import { LiveServer } from "./server.ts";

/** A page's worker that receives one live stream, so that messages are noted when they come, however busy the page is. */
const server = new LiveServer((message, transfer) => self.postMessage(message, { transfer }));
self.onmessage = ({ data }: MessageEvent<LiveRequest>) => void server.receive(data);
