import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { FoxgloveServer } from "@foxglove/ws-protocol";
import { firstValueFrom, type Subscription, throwError, timeout } from "rxjs";
import { WebSocketServer } from "ws";
import { fileOf } from "../../core/pictureFile.ts";
import { Queue } from "../../core/queue.ts";
import { insteadOf } from "../../core/way.ts";
import {
  type DepthFrame,
  isLive,
  isRecording,
  playOf,
  type Recording,
  type Source,
  SourceError,
} from "../../sources/index.ts";
import { DEPTH_PROTOCOL, DEPTH_V2_PROTOCOL } from "../../sources/live/depth.ts";
import { FrameMessages, type Topic } from "../../write/frameMessages.ts";
import { definitions, nanosecondsOf, stampOf, uint64Message } from "../../write/ros2.ts";
import { describe } from "../report/failure.ts";
import { addressesOf, freshToken, hasToken, isLoopback, mayBeNamed, mayListen } from "./access.ts";
import { Clients } from "./clients.ts";
import { ServedControls } from "./controls.ts";
import { Log } from "./log.ts";
import { RawClients } from "./rawClients.ts";

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
  /** Whether a program hands over its own frames, at a rate that nobody knows, and with times of capture if these are of the last day. */
  readonly published?: boolean;
  /** Whether clients may change the controls of a camera. */
  readonly controls?: boolean;
  /** Whether clients get infrared images if they ask for them; a camera gives them from then on if `controls` is true. */
  readonly infrared?: boolean;
  /** Whether the raw frames that have a pair of images are sent with both; "asked" tells of frames that have none. */
  readonly pair?: boolean | "asked";
  /** Answers requests that ask for no stream: the viewer's page. */
  readonly page?: RequestListener | undefined;
}

/** The most bytes of a client's message: messages only name topics. */
const MAX_MESSAGE = 1 << 16;
/** The most connections, beside the clients, that have not become WebSockets yet, and the longest time for that in ms. */
const MAX_STRANGERS = 32;
const HANDSHAKE_MS = 5000;

/** Depth of more bytes a second than a page takes unpacked is packed within this machine, too. */
const MOST_UNPACKED = 1e8;

/** The longest time in ms that what is live may take to give its first frame. */
const FIRST_MS = 15_000;

const DAY_MS = 86_400_000;

/** In the order of preference: Depthloom's own, whose depth is exact in any unit, and the two names of Foxglove's. */
const PROTOCOLS = [DEPTH_PROTOCOL, "foxglove.sdk.v1", "foxglove.websocket.v1"];

/** The topic with a frame's number, by which clients notice lost frames. */
const INDEX: Topic = { topic: "/depthloom/index", schema: "std_msgs/msg/UInt64" };

/**
 * Plays a recording at its own pace, or hands on what is live, to all clients, as raw depth or by the Foxglove WebSocket protocol. It does
 * so while at least one client watches.
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
  readonly #controls: ServedControls;
  readonly #clients: Clients;
  #token: string | undefined;
  readonly #protocol: FoxgloveServer;
  readonly #sockets: WebSocketServer;
  readonly #channels = new Map<string, number>();
  readonly #messages = new FrameMessages();
  readonly #newest = new Queue<DepthFrame>((frame) =>
    this.#send(frame).catch((error) => this.#log.line(`frame ${frame.index} cannot be sent: ${describe(error)}`)),
  );
  readonly #raw: RawClients;
  /** Whether there is more depth than `MOST_UNPACKED`, and no colour except in files: raw colour takes far more. */
  #isMuch = false;
  #playing: Subscription | undefined;
  #listeners = 0;
  /** The number of frames in earlier rounds, and the index in the present round. */
  #before = 0;
  #at = -1;
  /** Whether a frame that jumped could not be read. */
  #jumped = false;
  /** Resolves when a recording played once has ended, or the server is closed; where the source has failed, to its error. */
  readonly ended: Promise<unknown>;
  #end = (_error?: unknown) => {};

  constructor(
    readonly source: Source,
    readonly options: ServeOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#log = new Log(options.warn);
    this.#controls = new ServedControls(source, options.controls === true);
    const listen = (more: 1 | -1) => this.#listen(more);
    this.#raw = new RawClients(source, options, this.#controls, listen, (line) => this.#log.line(line));
    this.#clients = new Clients((line) => this.#log.line(line));
    this.#token = options.token;
    const noPage: RequestListener = (_, response) =>
      void response.writeHead(426, { connection: "close" }).end("this is a WebSocket: ws://\n");
    this.#http.on("request", options.page ?? noPage);
    this.#http.maxConnections = options.maxClients + MAX_STRANGERS;
    this.#protocol = new FoxgloveServer({ name: `depthloom: ${source.name}`, supportedEncodings: ["cdr"] });
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
        const [status, why] = this.#refusal(origin, req);
        if (status > 0) this.#log.line(`a client was refused: ${why}`);
        answer(status === 0, status, why);
      },
      // Within this machine packing mostly costs more time than the bytes that it saves.
      handleProtocols: (offered, { socket: { remoteAddress: address = "" } }) =>
        [...(isLoopback({ address }) && !this.#isMuch ? [] : [DEPTH_V2_PROTOCOL]), ...PROTOCOLS].find((name) =>
          offered.has(name),
        ) ?? false,
    });
    this.#sockets.on("error", () => {});
    this.#sockets.on("connection", (socket, request) => {
      socket.on("error", (error) => this.#log.line(`a client was lost: ${error.message}`));
      if (!socket.protocol) return socket.close(1002, `ask for ${PROTOCOLS.join(" or ")}`);
      const client = this.#clients.add(socket);
      if (/^depthloom\./.test(socket.protocol)) this.#raw.greet(client);
      else this.#protocol.handleConnection(client, request.socket.remoteAddress ?? "somebody");
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
  #refusal(origin: string | undefined, { url: path, headers }: IncomingMessage): [status: number, why: string] {
    const { origins, maxClients } = this.options;
    // On a network the token tells who may listen, and this machine has many names.
    if (isLoopback(this.#http.address() as AddressInfo) && !mayBeNamed(headers.host, origins))
      return [421, "it asked for a server of another name"];
    if (!mayListen(origin, origins)) return [401, "pages of this origin may not listen"];
    if (this.#token !== undefined && !hasToken(path, this.#token)) return [401, "its address lacks the token"];
    if (this.#sockets.clients.size >= maxClients) return [503, `${maxClients} clients listen already`];
    return [0, ""];
  }

  /** Starts listening. Resolves to the addresses, with the token. The topics follow from `given`, or else from the source's first frame. */
  async open(given?: DepthFrame): Promise<readonly [string, ...string[]]> {
    const { host, port } = this.options;
    const first = given ?? (await this.#first());
    const isLight = !first.color || fileOf(first.color.data);
    this.#isMuch = !!isLight && first.depth.data.byteLength * this.source.fps * this.options.rate > MOST_UNPACKED;
    for (const { topic } of await this.#messages.of(first, stampOf(Date.now()))) this.#channel(topic);
    this.#channel(INDEX);
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

  /** The first frame; of a recording the first one that can be read. */
  async #first(): Promise<DepthFrame> {
    const { frames$, name } = this.source;
    const late = () => new SourceError(`${name}: no frame has come within ${FIRST_MS / 1000} s`);
    const recording = this.#recording;
    if (!recording) return firstValueFrom(frames$.pipe(timeout({ first: FIRST_MS, with: () => throwError(late) })));
    let fault: unknown;
    for (let i = 0; i < recording.length; i++) {
      const frame = await recording.read(i).catch((error) => {
        fault ??= error;
      });
      if (frame) return frame;
    }
    throw fault;
  }

  #play(): void {
    const { rate, loop } = this.options;
    const warn = (line: string) => this.#log.line(line);
    const recording = this.#recording;
    const start = recording ? (this.#at + 1) % recording.length : 0;
    const frames$ = recording ? playOf(recording, { rate, loop, start }) : this.source.frames$;
    this.#playing = frames$.subscribe({
      next: (frame) => {
        if (frame.fault) {
          warn(`frame ${frame.index} could not be read and is skipped: ${describe(frame.fault)}`);
          this.#jumped ||= frame.jump === true;
          return;
        }
        // The missing number of a frame that a newer one replaces tells the clients.
        this.#newest.offer(insteadOf(frame, this.#newest.givesUp, this.#jumped));
        this.#jumped = false;
      },
      error: (error) => {
        warn(
          `${recording ? "the recording" : this.source.name} cannot be played any further: ${error instanceof Error ? error.message : error}`,
        );
        this.#end(error);
      },
      complete: () => this.#newest.whenIdle(() => this.#end()),
    });
  }

  async #send(given: DepthFrame): Promise<void> {
    const frame = await this.#raw.whole(given);
    const again = this.#recording && frame.index <= this.#at;
    if (again) this.#before += this.#recording?.length ?? 0;
    this.#at = frame.index;
    const sent = Date.now();
    this.#controls.tell();
    // A camera's frames carry the time of their capture by this machine's clock, a recording's the present time.
    const { source, options } = this;
    const captured = isLive(source) ? frame.timestamp + source.report.clockSkewMs : frame.timestamp;
    const isOwn = isLive(source) || (options.published && Math.abs(sent - captured) < DAY_MS);
    const timestamp = isOwn ? captured : sent;
    const index = this.#before + frame.index;
    const messages = this.#listeners > this.#raw.watching ? await this.#messages.of(frame, stampOf(timestamp)) : [];
    const count = { topic: INDEX, data: uint64Message(index) };
    const jump = again === true || frame.jump === true;
    const raw = await this.#raw.messages(frame, { index, timestamp, sent, ...(jump && { jump }) });
    const bytes = messages.reduce((sum, { data }) => sum + data.byteLength, raw.bytes);
    this.#clients.frame({ frame: this.sent++, bytes, jump }, () => {
      raw.send();
      for (const { topic, data } of [count, ...messages]) {
        this.#protocol.sendMessage(this.#channel(topic), nanosecondsOf(stampOf(sent)), new Uint8Array(data));
      }
    });
  }
}
