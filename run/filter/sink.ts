import type { Writable } from "node:stream";
import { Subject } from "rxjs";
import { counted } from "../../core/check.ts";
import type { DepthFrame } from "../../core/frame.ts";
import type { Source } from "../../sources/index.ts";
import { Losses } from "../../write/losses.ts";
import { bytesOf } from "../../write/ros2.ts";
import { inUnits } from "../../write/units.ts";
import type { Bridge } from "../publish/bridge.ts";
import type { PublishAs } from "../publish/forms.ts";
import { namespaceOf, RosMessages } from "../publish/messages.ts";
import { type ServeOptions, StreamServer } from "../serve/server.ts";
import { withFrames } from "./frames.ts";

/** Takes filtered frames, in order; each call is made when the one before is done. */
export interface Sink {
  frame(frame: DepthFrame): Promise<void>;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
  /** A line for people about the frames that were sent, and their counts. */
  told(): string;
  readonly report: object;
}

/** The line about pixels that are too far to be written, where there are any. */
const farOf = ({ lines }: Losses) => lines.filter((line) => line.includes("too far"));

/** Publishes frames through a bridge. */
export class BridgeSink implements Sink {
  #messages: RosMessages | undefined;

  constructor(
    readonly bridge: Bridge,
    readonly as: PublishAs,
    readonly shownAs: string,
  ) {}

  async frame(frame: DepthFrame): Promise<void> {
    const { namespace = namespaceOf(frame.origin?.topic), forms, frameId } = this.as;
    this.#messages ??= new RosMessages(namespace, forms, frameId);
    await this.bridge.frame(await this.#messages.of(frame));
  }

  close(): Promise<void> {
    return this.bridge.close();
  }

  get report(): object {
    return { to: this.shownAs, topics: this.#messages?.namespace, ...this.bridge.report };
  }

  told(): string {
    const { published, slow, away, reconnects } = this.bridge.report;
    const parts = [
      `${counted(published, "frame")} published${this.#messages ? ` below ${this.#messages.namespace}` : ""}`,
      slow > 0 && `${slow} left out because the bridge was too slow`,
      away > 0 && `${away} left out because it was away`,
      reconnects > 0 && `connected again ${reconnects} times`,
      ...(this.#messages ? farOf(this.#messages.losses) : []),
    ];
    return `${this.shownAs}: ${parts.filter(Boolean).join(", ")}`;
  }
}

/**
 * Writes depth as raw frames of 16 bits, little-endian, in the unit of the first frame, no faster than the reader takes them. Where several
 * topics share the stream, a line of JSON goes before each frame.
 */
export class RawSink implements Sink {
  #frames = 0;
  #unit: number | undefined;
  #size: string | undefined;
  #otherSizes = 0;
  readonly #losses = new Losses();
  #isTold = false;

  constructor(
    readonly stream: Writable,
    /** Called with the first frame: a reader has to know its size and unit. */
    readonly onFirst: (frame: DepthFrame) => void,
    /** The topic, which lines before frames name; no lines if not given. */
    readonly topic?: string,
    /** Called once, with the first pixels that are too far for the unit. */
    readonly warn: (line: string) => void = () => {},
  ) {}

  async frame(frame: DepthFrame): Promise<void> {
    if (this.#unit === undefined) this.onFirst(frame);
    this.#unit ??= frame.metresPerUnit;
    const { topic } = this;
    const size = `${frame.depth.shape[1]} × ${frame.depth.shape[0]}`;
    this.#size ??= size;
    // Without a line before each frame the reader counts bytes.
    if (topic === undefined && size !== this.#size) {
      if (this.#otherSizes++ === 0)
        this.warn(`the raw stream has frames of ${this.#size} pixels: those of another size (${size}) are left out`);
      return;
    }
    const { data, shape } = inUnits(frame, this.#unit, this.#losses);
    const [far] = farOf(this.#losses);
    if (far && !this.#isTold) this.warn(`the raw stream keeps the unit of its first frame: ${far}`);
    this.#isTold ||= far !== undefined;
    const about = { topic, width: shape[1], height: shape[0], metresPerUnit: this.#unit, timestamp: frame.timestamp };
    const head = Buffer.from(topic === undefined ? "" : `${JSON.stringify(about)}\n`);
    // A copy: the stream keeps what it has not written yet.
    const bytes = Buffer.concat([head, bytesOf(data)]);
    this.#frames++;
    const { stream } = this;
    if (stream.write(bytes) || stream.destroyed) return;
    // A reader that has ended takes nothing any more, and must hold up no file that is written beside.
    await new Promise<void>((resolve) => {
      const go = () => {
        stream.off("drain", go).off("error", go);
        resolve();
      };
      stream.on("drain", go).on("error", go);
    });
  }

  close(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve) => (stream.writableLength === 0 ? resolve() : stream.write("", () => resolve())));
  }

  get report(): object {
    const leftOut = this.#otherSizes > 0 ? { leftOut: this.#otherSizes } : {};
    return { to: "-", written: this.#frames, metresPerUnit: this.#unit, ...leftOut };
  }

  told(): string {
    const written = `standard output: ${counted(this.#frames, "frame")} written`;
    const left = this.#otherSizes > 0 ? [`${counted(this.#otherSizes, "frame")} of another size left out`] : [];
    return [written, ...left, ...farOf(this.#losses)].join("; ");
  }
}

/** Serves frames as a live stream, from the first frame on. */
export class ServeSink implements Sink {
  readonly #frames$ = new Subject<DepthFrame>();
  #server: StreamServer | undefined;

  constructor(
    /** The source that is filtered: its name, and the clock of its frames. */
    readonly source: Source,
    readonly options: ServeOptions,
    readonly onOpen: (addresses: readonly string[]) => void,
  ) {}

  async frame(frame: DepthFrame): Promise<void> {
    if (!this.#server) {
      this.#server = new StreamServer(withFrames(this.source, this.#frames$), this.options);
      this.onOpen(await this.#server.open(frame));
    }
    // The server does not wait: a slow client misses frames, and sees that by their numbers.
    const { waitUntil: _, ...alone } = frame;
    this.#frames$.next(alone);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  get report(): object {
    return { to: "serve", sent: this.#server?.sent ?? 0, dropped: this.#server?.dropped ?? 0 };
  }

  told(): string {
    const { sent = 0, dropped = 0 } = this.#server ?? {};
    return `served: ${counted(sent, "frame")} sent${dropped > 0 ? `, ${dropped} dropped for slow clients` : ""}`;
  }
}
