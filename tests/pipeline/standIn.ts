import type { StageWorker } from "../../pipeline/index.ts";
import type { Order } from "../../pipeline/run/remote/messages.ts";
import { StageServer } from "../../pipeline/run/remote/server.ts";

/** A worker in this process; messages are copied or transferred as between threads. */
export class StandIn implements StageWorker {
  terminated = false;
  readonly #channel = new MessageChannel();
  readonly #onError: ((event: object) => void)[] = [];

  /** `answers` is called before each answer is sent. */
  constructor(answers = () => {}) {
    const { port2 } = this.#channel;
    const server = new StageServer((answer, transfer) => {
      answers();
      port2.postMessage(answer, transfer);
    });
    port2.onmessage = ({ data }: MessageEvent<Order>) => void server.receive(data);
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    this.#channel.port1.postMessage(message, transfer);
  }

  addEventListener(type: "message" | "error" | "messageerror", listener: (event: { readonly data: unknown }) => void) {
    if (type === "message") this.#channel.port1.onmessage = listener;
    if (type === "error") this.#onError.push((event) => listener({ ...event, data: undefined }));
  }

  terminate(): void {
    this.terminated = true;
    this.#channel.port1.close();
  }

  /** Ends the pretended worker with an error, as when a worker's script cannot be loaded or its memory runs out. */
  die(message?: string): void {
    for (const tell of this.#onError) tell({ message });
  }
}

/** The error with which a run is refused: its class and message. */
export const messageOf = (run: Promise<unknown>) =>
  run.then(
    () => "it went through",
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  );
