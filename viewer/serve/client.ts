import type { IWebSocket } from "@foxglove/ws-protocol";
import type { WebSocket } from "ws";

/** The most unsent answers and pongs: a client with more sends requests and does not read. */
const MAX_ANSWERS = 256;
/** The most messages between two pings: a client needs only a few, so more are an attack. */
const MAX_HEARD = 3000;

/** A frame that waits to be sent to a client. */
export interface Held {
  readonly frame: number;
  readonly bytes: number;
}

/**
 * A client's socket with a bound on unsent data. It takes a frame only after the frame before has left, so a slow client misses whole
 * frames with their counts, and the next count shows the loss. A message is sent as two fragments, header and body, because all clients
 * share the body's memory.
 */
export class Client implements IWebSocket {
  #held: Held | undefined;
  /** The number of that frame's fragments not yet sent. */
  #fragments = 0;
  #answers = 0;
  #heard = 0;
  #answered = true;
  #misses = false;
  #over = false;

  constructor(
    readonly socket: WebSocket,
    /** Called with the reason when the client is cut off. */
    readonly onCutOff: (why: string) => void,
  ) {
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

  /** The frame that waits for the client, if any. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Call it before sending a frame's messages. Returns false where the client misses this frame. */
  begin(next: Held): boolean {
    this.#misses = this.#held !== undefined;
    if (!this.#misses) this.#held = next;
    return !this.#misses;
  }

  /** Call it after sending a frame's messages. A client that has subscribed to none of them holds nothing. */
  finish(): void {
    if (this.#fragments === 0) this.#held = undefined;
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
    } else if (!this.#misses) {
      this.#fragments++;
      this.socket.send(data, { fin: options?.fin ?? true, binary: true }, () => {
        if (--this.#fragments === 0) this.#held = undefined;
      });
    }
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
  get onerror() {
    return this.socket.onerror;
  }
  set onerror(handle) {
    this.socket.onerror = handle;
  }
  get onopen() {
    return this.socket.onopen;
  }
  set onopen(handle) {
    this.socket.onopen = handle;
  }
  get onclose() {
    return this.socket.onclose;
  }
  set onclose(handle) {
    this.socket.onclose = handle;
  }
  get onmessage() {
    return this.socket.onmessage;
  }
  set onmessage(handle) {
    this.socket.onmessage = handle;
  }
}
