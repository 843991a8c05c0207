import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FoxgloveServer } from "@foxglove/ws-protocol";
import type { Subscription } from "rxjs";
import { WebSocketServer } from "ws";
import { type DepthFrame, playOf, type Recording } from "../../sources/index.ts";
import { FrameMessages, type Topic, UNIT_KEY } from "../../sources/write/frameMessages.ts";
import { definitions, nanosecondsOf, stampOf, uint64Message } from "../../sources/write/ros2.ts";
import { bounded } from "./client.ts";
import { mayListen } from "./origin.ts";

export interface ServeOptions {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  readonly rate: number;
  readonly loop: boolean;
  /** Pages that may listen, beside those of this machine. */
  readonly origins: readonly string[];
  readonly warn: (line: string) => void;
}

/** Protocols that a client may ask for; both say the same. */
const PROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"];

/** How many frames there were before each: a client sees by it what it has lost on the way. */
export const INDEX: Topic = { topic: "/depthloom/index", schema: "std_msgs/msg/UInt64" };

/** Plays a recording as a camera would, to whoever listens, by the Foxglove WebSocket protocol. It plays while somebody does. */
export class StreamServer {
  /** Frames that were sent; those that a client was too slow for are counted for each client. */
  sent = 0;
  dropped = 0;
  readonly #http = createServer((_, response) => response.writeHead(426).end("this is a WebSocket: ws://\n"));
  readonly #protocol: FoxgloveServer;
  /** Sent to each client; it is filled in when the first frame is known. */
  readonly #metadata: Record<string, string> = {};
  readonly #sockets: WebSocketServer;
  readonly #channels = new Map<string, number>();
  readonly #messages = new FrameMessages();
  #sending: Promise<void> = Promise.resolve();
  #playing: Subscription | undefined;
  #listeners = 0;
  /** Frames of the rounds before, and the place in this one. */
  #before = 0;
  #at = -1;
  /** Resolves when a recording that is played once is over, or the server is closed. */
  readonly ended: Promise<void>;
  #end = () => {};

  constructor(
    readonly recording: Recording,
    readonly options: ServeOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const name = `depthloom: ${recording.name}`;
    this.#protocol = new FoxgloveServer({ name, supportedEncodings: ["cdr"], metadata: this.#metadata });
    this.#protocol.on("subscribe", () => this.#listen(1));
    this.#protocol.on("unsubscribe", () => this.#listen(-1));
    this.#protocol.on("error", (error) => options.warn(`a client sent what cannot be read: ${error.message}`));
    this.#sockets = new WebSocketServer({
      server: this.#http,
      perMessageDeflate: false,
      maxPayload: 1 << 20,
      verifyClient: ({ origin }: { origin?: string }) => mayListen(origin, options.origins),
      handleProtocols: (offered) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
    this.#sockets.on("error", () => {});
    this.#sockets.on("connection", (socket, request) => {
      socket.on("error", (error) => options.warn(`a client was lost: ${error.message}`));
      if (!socket.protocol) return socket.close(1002, `ask for ${PROTOCOLS.join(" or ")}`);
      const client = bounded(socket, () => this.dropped++);
      this.#protocol.handleConnection(client, request.socket.remoteAddress ?? "somebody");
    });
  }

  /** Begins to listen. Resolves to the address, once the first frame has said which topics there are. */
  async open(): Promise<string> {
    const { host, port } = this.options;
    const first = await this.recording.read(0);
    for (const { topic } of await this.#messages.of(first, stampOf(Date.now()))) this.#channel(topic);
    this.#channel(INDEX);
    this.#metadata[UNIT_KEY] = String(first.metresPerUnit);
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject).listen(port, host, resolve);
    });
    const at = this.#http.address() as AddressInfo;
    return `ws://${at.family === "IPv6" ? `[${at.address}]` : at.address}:${at.port}`;
  }

  async close(): Promise<void> {
    this.#playing?.unsubscribe();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#end();
  }

  #channel({ topic, schema }: Topic): number {
    let id = this.#channels.get(topic);
    if (id === undefined) {
      const definition = { schemaName: schema, schema: definitions[schema], schemaEncoding: "ros2msg" };
      id = this.#protocol.addChannel({ topic, encoding: "cdr", ...definition });
      this.#channels.set(topic, id);
    }
    return id;
  }

  #listen(more: 1 | -1): void {
    this.#listeners += more;
    if (this.#listeners > 0 && !this.#playing) this.#play();
    if (this.#listeners > 0) return;
    this.#playing?.unsubscribe();
    this.#playing = undefined;
  }

  #play(): void {
    const { rate, loop, warn } = this.options;
    const start = (this.#at + 1) % this.recording.length;
    this.#playing = playOf(this.recording, { rate, loop, start }).subscribe({
      next: (frame) => {
        if (frame.fault) warn(`frame ${frame.index} could not be read and is skipped: ${frame.fault.message}`);
        else this.#sending = this.#sending.then(() => this.#send(frame));
      },
      error: (error) => {
        warn(`the recording cannot be played on: ${error instanceof Error ? error.message : error}`);
        this.#end();
      },
      complete: () => void this.#sending.then(() => this.#end()),
    });
  }

  async #send(frame: DepthFrame): Promise<void> {
    if (frame.index <= this.#at) this.#before += this.recording.length;
    this.#at = frame.index;
    // A camera's frames are of now, whenever they were recorded.
    const stamp = stampOf(Date.now());
    const messages = await this.#messages.of(frame, stamp);
    const count = { topic: INDEX, data: uint64Message(this.#before + frame.index) };
    for (const { topic, data } of [count, ...messages]) {
      this.#protocol.sendMessage(this.#channel(topic), nanosecondsOf(stamp), new Uint8Array(data));
    }
    this.sent++;
  }
}
