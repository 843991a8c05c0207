import type { WebSocket } from "ws";
import { Client, type HeldFrame } from "./client.ts";

/** The most bytes of frames that wait for slow clients; beyond that the client with the oldest frame is cut off. */
const MAX_HELD = 1 << 27;
/** The interval of pings in ms. A client that has not answered by the next ping is cut off. */
const PING_MS = 30_000;

/** All connected clients, with a bound on the data that waits for them together. */
export class Clients {
  /** The number of frames that clients missed because they were too slow, summed over clients. */
  missed = 0;
  cutOff = 0;
  readonly #all = new Set<Client>();
  /** The sockets keep the process alive, so the timer need not. */
  readonly #timer = setInterval(() => {
    for (const client of this.#all) client.ping();
  }, PING_MS).unref();

  constructor(readonly warn: (line: string) => void) {}

  add(socket: WebSocket): Client {
    const cutOff = (why: string) => {
      this.cutOff++;
      this.warn(`a client was cut off: ${why}`);
    };
    const client = new Client(socket, cutOff, () => this.missed++);
    this.#all.add(client);
    socket.on("close", () => this.#all.delete(client));
    return client;
  }

  /** Calls `send` to send a frame to the clients, each of which gets it when the frame before has left. */
  frame(next: HeldFrame, send: () => void): void {
    this.#relieve(next.bytes);
    for (const client of this.#all) client.begin(next);
    send();
    for (const client of this.#all) client.finish();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Makes room for a frame by cutting clients off. Clients share a frame's memory, so each frame counts once. */
  #relieve(wanted: number): void {
    const frames = new Map<number, number>();
    for (const { held } of this.#all) for (const { frame, bytes } of held) frames.set(frame, bytes);
    let bytes = [...frames.values()].reduce((sum, more) => sum + more, wanted);
    for (const oldest of [...frames.keys()].sort((a, b) => a - b)) {
      if (bytes <= MAX_HELD) return;
      for (const client of this.#all) {
        if (client.held[0]?.frame === oldest) client.cutOff("it is too slow, and waiting frames take too much memory");
      }
      bytes -= frames.get(oldest) ?? 0;
    }
  }
}
