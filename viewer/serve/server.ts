import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { FoxgloveServer } from "@foxglove/ws-protocol";
import { firstValueFrom, type Subscription, throwError, timeout } from "rxjs";
import { WebSocketServer } from "ws";
import {
  type DepthFrame,
  isLive,
  isRecording,
  playOf,
  type Recording,
  type Source,
  SourceError,
} from "../../sources/index.ts";
import { isAssumed } from "../../sources/recorded/facts.ts";
import { ASSUMED_KEY, FrameMessages, type Topic, UNIT_KEY } from "../../sources/write/frameMessages.ts";
import { definitions, nanosecondsOf, stampOf, uint64Message } from "../../sources/write/ros2.ts";
import { describe } from "../report/failure.ts";
import { factsOf } from "../report/place.ts";
import { addressesOf, freshToken, hasToken, isLoopback, mayListen } from "./access.ts";
import { Clients } from "./clients.ts";
import { Log } from "./log.ts";

export interface ServeOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly rate: number;
  readonly loop: boolean;
  /** The origins of pages that may connect, beside those of this machine. */
  readonly origins: readonly string[];
  /** The most clients at once. */
  readonly maxClients: number;
  /** The token that a client's address must have as `?token=…`. If absent and other machines can reach `host`, one is made up. */
  readonly token?: string | undefined;
  readonly warn: (line: string) => void;
  /** Answers requests that ask for no stream: the viewer's page. */
  readonly page?: RequestListener | undefined;
}

/** The most bytes of a client's message: messages only name topics. */
const MAX_MESSAGE = 1 << 16;
/** The most connections, beside the clients, that have not become WebSockets yet, and the longest time for that in ms. */
const MAX_STRANGERS = 32;
const HANDSHAKE_MS = 5000;

/** The longest time in ms that what is live may take to give its first frame. */
const FIRST_MS = 15_000;

/** The protocol's two names; newer clients use the first. */
const PROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"];

/** The topic with a frame's number, by which clients notice lost frames. */
const INDEX: Topic = { topic: "/depthloom/index", schema: "std_msgs/msg/UInt64" };

/**
 * Plays a recording at its own pace, or hands on what is live, to all clients, by the Foxglove WebSocket protocol. It does so while at
 * least one client is subscribed.
 */
export class StreamServer {
  /** The number of frames sent. */
  sent = 0;
  readonly #http = createServer({
    headersTimeout: HANDSHAKE_MS,
    requestTimeout: HANDSHAKE_MS,
    connectionsCheckingInterval: HANDSHAKE_MS / 5,
  });
  readonly #log: Log;
  readonly #clients: Clients;
  #token: string | undefined;
  readonly #protocol: FoxgloveServer;
  /** Sent to each client; filled in when the first frame is known. */
  readonly #metadata: Record<string, string> = {};
  readonly #sockets: WebSocketServer;
  readonly #channels = new Map<string, number>();
  readonly #messages = new FrameMessages();
  /** Resolves when the frame being sent has been sent. */
  #sending: Promise<void> | undefined;
  #playing: Subscription | undefined;
  #listeners = 0;
  /** The number of frames in earlier rounds, and the index in the present round. */
  #before = 0;
  #at = -1;
  /** Resolves when a recording played once has ended, or the server is closed. */
  readonly ended: Promise<void>;
  #end = () => {};

  constructor(
    readonly source: Source,
    readonly options: ServeOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#log = new Log(options.warn);
    this.#clients = new Clients((line) => this.#log.line(line));
    this.#token = options.token;
    const noPage: RequestListener = (_, response) =>
      void response.writeHead(426, { connection: "close" }).end("this is a WebSocket: ws://\n");
    this.#http.on("request", options.page ?? noPage);
    this.#http.maxConnections = options.maxClients + MAX_STRANGERS;
    const name = `depthloom: ${source.name}`;
    this.#protocol = new FoxgloveServer({ name, supportedEncodings: ["cdr"], metadata: this.#metadata });
    this.#protocol.on("subscribe", () => this.#listen(1));
    this.#protocol.on("unsubscribe", () => this.#listen(-1));
    this.#protocol.on("error", (error) => this.#log.line(`a client sent an unreadable message: ${error.message}`));
    this.#sockets = new WebSocketServer({
      server: this.#http,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE,
      // Pongs are sent by `Client`, which counts them: those of a client that sends pings and does not read would pile up.
      autoPong: false,
      verifyClient: ({ origin, req }, answer) => {
        const [status, why] = this.#refusal(origin, req.url);
        if (status > 0) this.#log.line(`a client was refused: ${why}`);
        answer(status === 0, status, why);
      },
      handleProtocols: (offered) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
    this.#sockets.on("error", () => {});
    this.#sockets.on("connection", (socket, request) => {
      socket.on("error", (error) => this.#log.line(`a client was lost: ${error.message}`));
      if (!socket.protocol) return socket.close(1002, `ask for ${PROTOCOLS.join(" or ")}`);
      this.#protocol.handleConnection(this.#clients.add(socket), request.socket.remoteAddress ?? "somebody");
    });
  }

  /** The number of frames that clients missed because they were too slow, summed over clients. */
  get dropped(): number {
    return this.#clients.missed;
  }

  /** The number of clients cut off, because they took too much memory or did not answer. */
  get cutOff(): number {
    return this.#clients.cutOff;
  }

  /** Why a client is refused, with the HTTP status; 0 if it is not. */
  #refusal(origin: string | undefined, path: string | undefined): [status: number, why: string] {
    const { origins, maxClients } = this.options;
    if (!mayListen(origin, origins)) return [401, "pages of this origin may not listen"];
    if (this.#token !== undefined && !hasToken(path, this.#token)) return [401, "its address lacks the token"];
    if (this.#sockets.clients.size >= maxClients) return [503, `${maxClients} clients listen already`];
    return [0, ""];
  }

  /** Starts listening. Resolves to the addresses, with the token, after the first frame has determined the topics. */
  async open(): Promise<readonly [string, ...string[]]> {
    const { host, port } = this.options;
    const first = await this.#first();
    for (const { topic } of await this.#messages.of(first, stampOf(Date.now()))) this.#channel(topic);
    this.#channel(INDEX);
    this.#metadata[UNIT_KEY] = String(first.metresPerUnit);
    const assumed = factsOf(this.source).filter(isAssumed);
    if (assumed.length > 0) this.#metadata[ASSUMED_KEY] = assumed.map(({ what }) => what).join(",");
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject).listen(port, host, resolve);
    });
    const at = this.#http.address() as AddressInfo;
    // No connection is accepted before this turn of the event loop ends, so every client needs the token.
    if (!isLoopback(at)) this.#token ??= freshToken();
    return addressesOf(at, this.#token);
  }

  async close(): Promise<void> {
    this.#playing?.unsubscribe();
    this.#clients.close();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    // `close` would wait for connections that are not WebSockets yet.
    this.#http.closeAllConnections();
    await closed;
    this.#log.end();
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

  get #recording(): Recording | undefined {
    return isRecording(this.source) ? this.source : undefined;
  }

  #first(): Promise<DepthFrame> {
    const { frames$, name } = this.source;
    const late = () => new SourceError(`${name}: no frame has come within ${FIRST_MS / 1000} s`);
    return (
      this.#recording?.read(0) ??
      firstValueFrom(frames$.pipe(timeout({ first: FIRST_MS, with: () => throwError(late) })))
    );
  }

  #play(): void {
    const { rate, loop } = this.options;
    const warn = (line: string) => this.#log.line(line);
    const recording = this.#recording;
    const start = recording ? (this.#at + 1) % recording.length : 0;
    const frames$ = recording ? playOf(recording, { rate, loop, start }) : this.source.frames$;
    this.#playing = frames$.subscribe({
      next: (frame) => {
        if (frame.fault) warn(`frame ${frame.index} could not be read and is skipped: ${describe(frame.fault)}`);
        // A frame that comes while another is being sent is left out; its missing number tells the clients.
        else
          this.#sending ??= this.#send(frame).finally(() => {
            this.#sending = undefined;
          });
      },
      error: (error) => {
        warn(
          `${recording ? "the recording" : this.source.name} cannot be played any further: ${error instanceof Error ? error.message : error}`,
        );
        this.#end();
      },
      complete: () => void Promise.resolve(this.#sending).then(() => this.#end()),
    });
  }

  async #send(frame: DepthFrame): Promise<void> {
    if (this.#recording && frame.index <= this.#at) this.#before += this.#recording.length;
    this.#at = frame.index;
    const sent = stampOf(Date.now());
    // A camera's frames carry the time of their capture by this machine's clock, a recording's the present time.
    const { source } = this;
    const stamp = isLive(source) ? stampOf(frame.timestamp + source.report.clockSkewMs) : sent;
    const messages = await this.#messages.of(frame, stamp);
    const count = { topic: INDEX, data: uint64Message(this.#before + frame.index) };
    const bytes = messages.reduce((sum, { data }) => sum + data.byteLength, 0);
    this.#clients.frame({ frame: this.sent++, bytes }, () => {
      for (const { topic, data } of [count, ...messages]) {
        this.#protocol.sendMessage(this.#channel(topic), nanosecondsOf(sent), new Uint8Array(data));
      }
    });
  }
}
