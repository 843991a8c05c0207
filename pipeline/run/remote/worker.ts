import type { Order } from "./messages.ts";
import { StageServer } from "./server.ts";

/** The thread of a page that runs its stages' twins: what they compute stays off the page's own. */
const server = new StageServer((answer, transfer) => self.postMessage(answer, { transfer }));

self.onmessage = ({ data }: MessageEvent<Order>) => void server.receive(data);
