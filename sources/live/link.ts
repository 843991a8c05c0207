import { connect } from "./socket.ts";

/** The first wait before another try, and the longest. */
const FIRST_MS = 250;
const LONGEST_MS = 8000;

/** How long to wait before a try, the first being 0. */
export const backOffMs = (tries: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 10));

/** A connection that comes back: when it is lost it is made again, at first soon, then every few seconds, until it is closed. */
export class Link {
  readonly #closing = new AbortController();
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #giveUp = () => {};

  constructor(
    readonly address: string,
    readonly protocols: readonly string[],
    /** Called with each connection, before any of its messages. */
    readonly start: (socket: WebSocket) => void,
    readonly onLost: () => void,
  ) {}

  /** The first connection; rejects if it cannot be made. */
  open(): Promise<void> {
    return connect(this.address, this.protocols, (socket) => this.#begin(socket), this.#closing.signal);
  }

  /** Gives the connection up as though it were lost. One whose other end is gone may not close for minutes. */
  renew(): void {
    this.#giveUp();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #begin(socket: WebSocket): void {
    this.#socket = socket;
    // An error is followed by a close.
    socket.onerror = () => {};
    this.start(socket);
    const closed = socket.onclose;
    const lost = (event: CloseEvent) => {
      this.#giveUp = () => {};
      socket.onclose = socket.onmessage = null;
      closed?.call(socket, event);
      if (this.#closing.signal.aborted) return;
      this.onLost();
      this.#again(0);
    };
    socket.onclose = lost;
    this.#giveUp = () => {
      socket.close();
      // What hears of it asks for nothing but that.
      lost(new Event("close") as CloseEvent);
    };
  }

  #again(tries: number): void {
    this.#timer = setTimeout(() => {
      this.open().catch(() => {
        if (!this.#closing.signal.aborted) this.#again(tries + 1);
      });
    }, backOffMs(tries));
  }
}
