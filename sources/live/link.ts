import { connect } from "./socket.ts";

/**
 * The waits before further attempts: a robot's bridge that starts again is found within a second, one that is off for long costs little.
 */
const WAITS_MS = [250, 500];
const USUAL_MS = 1000;
const LATE = 60;
const LATE_MS = 8000;

/** A connection that stood for less than this, ms, was of no use: the wait that began before it goes on. */
const OF_USE_MS = 1000;

/** One connection that was of no use is tried again for so long, ms, even if the wait that began before it is over. */
const LAST_MS = 1500;

/** The longest delay that timers accept. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The wait in ms before an attempt to connect; `tries` counts from 0. */
const backOffMs = (tries: number): number => WAITS_MS[tries] ?? (tries < LATE ? USUAL_MS : LATE_MS);

/**
 * A connection that is made again when it is lost, at first after 250 ms, then every second, after a minute every 8 s, until it is closed.
 */
export class Link {
  readonly #closing = new AbortController();
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #giveUp = () => {};
  /** The timer that runs from the loss of a connection to the next one that works. */
  #patience: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  /** When this connection began to work, and when the last one that was of use was lost. */
  #worksMs: number | undefined;
  #lostMs: number | undefined;
  #hadLast = false;

  constructor(
    readonly address: string,
    readonly protocols: readonly string[],
    /** Called with each connection, before any of its messages. */
    readonly start: (socket: WebSocket) => void,
    readonly onLost: () => void,
    /** `run` is called when no connection has worked for `afterMs` since one was lost; the link then stops trying. */
    readonly giveUp: { readonly afterMs: number; run(): void } = { afterMs: Infinity, run() {} },
  ) {}

  /** Makes the first connection; rejects where that fails. */
  open(): Promise<void> {
    return connect(this.address, this.protocols, (socket) => this.#begin(socket), this.#closing.signal);
  }

  /** Drops the connection as if it had been lost: one whose other end is gone may take minutes to close. */
  renew(): void {
    this.#giveUp();
  }

  /** Says that the connection works: one that is only made, and closed again, counts as lost. */
  works(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#worksMs ??= performance.now();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#patience);
    this.#socket?.close();
  }

  #begin(socket: WebSocket): void {
    this.#socket = socket;
    this.#worksMs = undefined;
    // A close event follows each error event, and its handler does the work.
    socket.onerror = () => {};
    this.start(socket);
    const closed = socket.onclose;
    const lost = (event: CloseEvent) => {
      this.#giveUp = () => {};
      socket.onclose = socket.onmessage = null;
      closed?.call(socket, event);
      if (this.#closing.signal.aborted) return;
      this.onLost();
      this.#wait();
      this.#again();
    };
    socket.onclose = lost;
    this.#giveUp = () => {
      socket.close();
      // The handler of close events does not read the event's fields.
      lost(new Event("close") as CloseEvent);
    };
  }

  #wait(): void {
    if (this.#patience) return;
    const now = performance.now();
    const { afterMs, run } = this.giveUp;
    const last = Math.min(afterMs, LAST_MS);
    if (this.#lostMs === undefined || now - (this.#worksMs ?? now) >= OF_USE_MS) {
      this.#lostMs = now;
      this.#tries = 0;
      this.#hadLast = false;
    } else if (!this.#hadLast && this.#lostMs + afterMs < now + last) {
      this.#lostMs = now + last - afterMs;
      this.#tries = 0;
      this.#hadLast = true;
    }
    if (afterMs > LONGEST_TIMER_MS) return;
    this.#patience = setTimeout(
      () => {
        this.close();
        run();
      },
      this.#lostMs + afterMs - now,
    );
  }

  #again(): void {
    this.#timer = setTimeout(
      () => {
        this.open().catch(() => {
          if (!this.#closing.signal.aborted) this.#again();
        });
      },
      backOffMs(this.#tries++),
    );
  }
}
