import type { IWebSocket } from "@foxglove/ws-protocol";
import type { WebSocket } from "ws";
import { Queue } from "../../core/queue.ts";

/** The most answers and pongs that wait to be sent. A client for which more wait sends requests, but does not read. */
const MAX_ANSWERS = 256;
/** The most messages that a client may send between two pings. It needs only a few, so more are an attack. */
const MAX_HEARD = 3000;

/** A frame that waits to be sent to a client. */
export interface HeldFrame {
  readonly frame: number;
  readonly bytes: number;
  /** Whether the frame does not follow the one before. */
  readonly jump: boolean;
}

/** The frame with its messages' fragments: all clients share the memory of a message's body, so header and body are fragments. */
interface Fragments extends HeldFrame {
  readonly parts: { readonly data: ArrayBuffer | ArrayBufferView; readonly fin: boolean }[];
}

/**
 * A client's socket with a bound on unsent data: while a frame is being sent, only the newest other frame waits. So a slow
 * client misses whole frames, and gets the newest next.
 */
export class Client implements IWebSocket {
  #sending: Fragments | undefined;
  /** The frame whose messages are being added; there is one between `begin` and `finish` only. */
  #next: Fragments | undefined;
  readonly #newest: Queue<Fragments>;
  #answers = 0;
  #heard = 0;
  #answered = true;
  #over = false;
  declare onerror: IWebSocket["onerror"];
  declare onopen: IWebSocket["onopen"];
  declare onclose: IWebSocket["onclose"];
  declare onmessage: IWebSocket["onmessage"];

  constructor(
    readonly socket: WebSocket,
    /** Called with the reason when the client is cut off. */
    readonly onCutOff: (why: string) => void,
    /** Called for each frame that the client misses, because a newer one took its place. */
    onMissed: () => void,
  ) {
    for (const name of ["onerror", "onopen", "onclose", "onmessage"] as const) {
      const set = (handle: WebSocket[typeof name]) => Object.assign(socket, { [name]: handle });
      Object.defineProperty(this, name, { get: () => socket[name], set });
    }
    this.#newest = new Queue((frame) => this.#leave(frame), onMissed);
    socket.on("ping", (data) => {
      const left = this.#answer();
      if (!this.#over) socket.pong(data, false, left);
    });
    socket.on("pong", () => {
      this.#answered = true;
    });
    socket.on("message", () => {
      if (++this.#heard === MAX_HEARD) this.cutOff("it sent too many messages");
    });
  }

  /** The frames that are being sent and that wait, the older first. */
  get held(): readonly HeldFrame[] {
    return [this.#sending, ...this.#newest.waiting].filter((frame) => frame !== undefined);
  }

  /** Whether the next frame takes the place of a frame that jumped. */
  get missesJump(): boolean {
    return this.#newest.givesUp.some(({ jump }) => jump);
  }

  /** Call it before sending a frame's messages. */
  begin(next: HeldFrame): void {
    this.#next = { ...next, jump: next.jump || this.missesJump, parts: [] };
  }

  /** Call it after sending a frame's messages. A client that has subscribed to none of them misses nothing. */
  finish(): void {
    const next = this.#next;
    this.#next = undefined;
    if (next && next.parts.length > 0) this.#newest.offer(next);
  }

  /** Resolves when a frame has left. */
  async #leave(frame: Fragments): Promise<void> {
    this.#sending = frame;
    const left = frame.parts.map(
      ({ data, fin }) => new Promise<void>((resolve) => this.socket.send(data, { fin, binary: true }, () => resolve())),
    );
    await Promise.all(left);
    this.#sending = undefined;
  }

  /** Call it every half minute: cuts off a client that has not answered the ping before. */
  ping(): void {
    this.#heard = 0;
    if (this.#answered) this.socket.ping(undefined, false, this.#answer());
    else this.cutOff("it does not answer");
    this.#answered = false;
  }

  cutOff(why: string): void {
    // Messages that the client sent before are still read; they must not be answered.
    if (this.#over) return;
    this.#over = true;
    this.socket.terminate();
    this.onCutOff(why);
  }

  close(): void {
    this.socket.close();
  }

  send(data: string | ArrayBuffer | ArrayBufferView, options?: { readonly fin?: boolean }): void {
    if (typeof data === "string") {
      const left = this.#answer();
      if (!this.#over) this.socket.send(data, left);
    } else this.#next?.parts.push({ data, fin: options?.fin ?? true });
  }

  /** Counts an answer as unsent; the result is called when it has been sent. */
  #answer(): () => void {
    if (++this.#answers > MAX_ANSWERS) this.cutOff("it does not read its answers");
    return () => {
      this.#answers--;
    };
  }

  get binaryType(): string {
    return this.socket.binaryType;
  }
  set binaryType(type: string) {
    this.socket.binaryType = type === "arraybuffer" ? type : "nodebuffer";
  }
  get protocol(): string {
    return this.socket.protocol;
  }
}
