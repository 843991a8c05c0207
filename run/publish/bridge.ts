import { setTimeout as pause } from "node:timers/promises";
import { shownAddress } from "../../core/address.ts";
import { SourceError } from "../../core/source.ts";
import { FOXGLOVE_PROTOCOLS } from "../../sources/live/foxglove.ts";
import { Link } from "../../sources/live/link.ts";
import type { TopicMessage } from "../../write/frameMessages.ts";
import { Log } from "../serve/log.ts";
import { foxgloveWire, rosbridgeWire, type Wire, type WireHost } from "./wire.ts";

export interface BridgeOptions {
  /** Whether a frame waits for a bridge that is slow or gone, instead of being left out. */
  readonly waits: boolean;
  /** For how long a lost connection is tried again, ms; then publishing fails. */
  readonly waitMs: number;
  readonly warn: (line: string) => void;
}

/** The longest time that a server may take to greet, ms. */
const READY_MS = 10_000;
/** How many frames may be on their way to the bridge; as many bytes are the backlog's bound. */
const MOST_UNSENT = 3;
/** A bridge that has read nothing for this long, ms, is connected to again. */
const STUCK_MS = 10_000;
/** How often a sender that waits looks, ms. */
const LOOK_MS = 4;

/** The messages that a bridge was sent. */
export interface BridgeReport {
  /** Frames sent. */
  readonly published: number;
  /** Frames left out because the bridge was slower than they came. */
  readonly slow: number;
  /** Frames left out because there was no connection. */
  readonly away: number;
  /** How many times the connection was lost and made again. */
  readonly reconnects: number;
}

/**
 * Publishes messages in a ROS graph, through a bridge: foxglove_bridge by client publish, else rosbridge. A lost connection is made again
 * and the topics announced again. The frames in memory are bounded.
 */
export class Bridge {
  readonly #counts = { published: 0, slow: 0, away: 0, reconnects: -1 };
  readonly #link: Link;
  readonly #name: string;
  #socket: WebSocket | undefined;
  #wire: Wire | undefined;
  #failed: Error | undefined;
  #closed = false;
  readonly #log: Log;
  /** When the bridge last read something. */
  #movedMs = 0;
  #unsent = 0;
  #began = (_?: Error) => {};
  #greeting: ReturnType<typeof setTimeout> | undefined;

  private constructor(
    address: string,
    protocols: readonly string[],
    readonly options: BridgeOptions,
  ) {
    this.#name = shownAddress(address);
    this.#log = new Log(options.warn);
    const giveUp = () => this.#fail(`the connection was lost, and has not worked again for ${options.waitMs / 1000} s`);
    const lost = () => {
      clearTimeout(this.#greeting);
      this.#wire = this.#socket = undefined;
    };
    const start = (socket: WebSocket) => this.#start(socket);
    this.#link = new Link(address, protocols, start, lost, { afterMs: options.waitMs, run: giveUp });
  }

  /** Connects. Rejects with a `SourceError` where nobody answers, or what answers takes no messages. */
  static async open(address: string, options: BridgeOptions): Promise<Bridge> {
    try {
      return await Bridge.#open(address, FOXGLOVE_PROTOCOLS, options);
    } catch (error) {
      // rosbridge has no subprotocol.
      if (!(error instanceof SourceError) || !/subprotocol/i.test(error.message)) throw error;
      return Bridge.#open(address, [], options);
    }
  }

  static async #open(...given: [string, readonly string[], BridgeOptions]): Promise<Bridge> {
    const bridge = new Bridge(...given);
    const began = new Promise<void>((resolve, reject) => {
      bridge.#began = (error) => {
        if (error) reject(error);
        else resolve();
      };
    });
    began.catch(() => {});
    try {
      await bridge.#link.open();
      await began;
      return bridge;
    } catch (error) {
      bridge.#end();
      throw error;
    }
  }

  get report(): BridgeReport {
    return { ...this.#counts, reconnects: Math.max(0, this.#counts.reconnects) };
  }

  /** Sends a frame's messages. Without room it counts them as left out, and returns false. Rejects where the bridge is gone for good. */
  async frame(messages: readonly TopicMessage[]): Promise<boolean> {
    if (this.options.waits) while (!this.#room() && !this.#failed && !this.#closed) await pause(LOOK_MS);
    if (this.#failed) throw this.#failed;
    const wire = this.#wire;
    if (!wire || !this.#room()) {
      this.#counts[wire ? "slow" : "away"]++;
      return false;
    }
    this.#unsent = messages.reduce((sum, { data }) => sum + data.length, 0);
    for (const message of messages) await wire.send(message);
    // The connection may be lost meanwhile.
    const isSent = this.#wire === wire;
    this.#counts[isSent ? "published" : "away"]++;
    return isSent;
  }

  /** Waits until what was sent has left, at most for a second, and closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (let ms = 0; ms < 1000 && (this.#socket?.bufferedAmount ?? 0) > 0; ms += LOOK_MS) await pause(LOOK_MS);
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#greeting);
    this.#link.close();
  }

  #start(socket: WebSocket): void {
    this.#socket = socket;
    const host: WireHost = {
      ready: (wire) => {
        clearTimeout(this.#greeting);
        this.#link.works();
        this.#counts.reconnects++;
        this.#movedMs = Date.now();
        this.#wire = wire;
        this.#began();
      },
      problem: (text) => {
        this.#began(new SourceError(`${this.#name}: ${text}`));
        this.#log.line(`${this.#name}: ${text}`);
      },
    };
    this.#greeting = setTimeout(() => {
      host.problem("it does not greet");
      this.#link.renew();
    }, READY_MS);
    if (socket.protocol === "") rosbridgeWire(socket, host);
    else foxgloveWire(socket, host);
  }

  /** Whether the bridge has read enough of what it was sent. */
  #room(): boolean {
    const { bufferedAmount = 0 } = this.#socket ?? {};
    if (!this.#wire) return false;
    if (bufferedAmount <= (MOST_UNSENT - 1) * this.#unsent) {
      this.#movedMs = Date.now();
      return true;
    }
    if (Date.now() - this.#movedMs > STUCK_MS) this.#link.renew();
    return false;
  }

  #fail(why: string): void {
    this.#failed = new SourceError(`${this.#name}: ${why}`);
  }
}
