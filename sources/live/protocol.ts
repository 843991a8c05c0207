import type { OfferedTopic } from "../../core/severalTopics.ts";
import { cameraText, type Fact, type OpenOptions, unitText } from "../format/format.ts";
import type { Controls } from "./driver.ts";
import type { Decoded, Intake } from "./intake.ts";

/** After connecting, and after a message of its server, a client waits this long, in ms, for the next message. */
export const SETTLED_MS = 300;

/** Options for a live stream. Each takes precedence over what the stream itself says. */
export type LiveOptions = Pick<
  OpenOptions,
  "topic" | "metresPerUnit" | "intrinsics" | "fps" | "assume" | "color" | "signal"
> & {
  /**
   * For how long in ms a lost connection is tried again; then the stream ends with a `SourceError`. `Infinity` if not given: a page may
   * wait for its camera for hours.
   */
  readonly waitMs?: number | undefined;
  /** Whether to ask for infrared images from the start: see `LiveSource.wantInfrared`. */
  readonly infrared?: boolean | undefined;
  /** Whether to read the two infrared images that depth can be matched from, where a camera or a server of topics has them. */
  readonly pair?: boolean | undefined;
};

/** One connection, in the protocol that the server chose. */
export interface Protocol {
  /** A short name of the protocol: "foxglove". */
  readonly format: string;
  /** The name of what is streamed, where the server tells one. */
  readonly title?: string | undefined;
  /** Frames per second, where the server tells them. */
  readonly fps?: number | undefined;
  /** The fact "format" from the start, and those of `factsOf` from the first frame on, which may change. */
  readonly facts: readonly Fact[];
  /** The depth topics that the server offers now and the one that is taken, where the protocol has topics. */
  readonly topics?: readonly OfferedTopic[];
  readonly topic?: string | undefined;
  /** The controls of the server's camera, where the server lets them be changed. */
  readonly controls?: Controls | undefined;
  set?(control: string, value: number): void;
  /** Whether the server gives infrared images to those who ask for them. */
  readonly infrared?: boolean | undefined;
  wantInfrared?(on: boolean): void;
  /** Starts to send frames to the intake when somebody watches, and stops when nobody does. */
  watch(on: boolean): void;
}

/** The receiver of a protocol's events. */
export interface Host {
  /** The server's address for messages, without its token. */
  readonly address: string;
  readonly options: LiveOptions;
  readonly intake: Intake;
  /** Reports that the server offers a depth stream; may be called again. If servers announce nothing, call it after `SETTLED_MS`. */
  ready(): void;
  /** Reports that the server offers no usable stream. `openLive` rejects with it; once the source is open it has no effect. */
  fail(error: Error): void;
}

/** Starts the protocol on an open socket. It may set the socket's `onmessage` and `onclose`. */
export type Start = (socket: WebSocket, host: Host) => Protocol;

/** The frame rate in frames per second where the server does not state it. */
export const USUAL_FPS = 30;

/** The options for a sender: with what they assume of each property that the sender does not say, as `says` tells. */
export function optionsFor(options: LiveOptions, says: (what: Fact["what"]) => boolean): LiveOptions {
  const { metresPerUnit, intrinsics, fps, assume = {} } = options;
  return {
    ...options,
    metresPerUnit: metresPerUnit ?? (says("unit") ? undefined : assume.metresPerUnit),
    intrinsics: intrinsics ?? (says("intrinsics") ? undefined : assume.intrinsics),
    fps: fps ?? (says("fps") ? undefined : assume.fps),
  };
}

/**
 * The facts of a stream's frame, and its rate; `fps` is the rate that the sender tells. `says` tells whether the sender itself says a
 * property, rather than assuming it.
 */
export function factsOf(
  { metresPerUnit, intrinsics }: Pick<Decoded, "metresPerUnit" | "intrinsics">,
  options: LiveOptions,
  says: (what: Fact["what"]) => boolean,
  fps?: number,
): Fact[] {
  const from = (what: Fact["what"], given: unknown) =>
    given !== undefined ? "option" : says(what) ? "files" : "assumed";
  return [
    { what: "unit", value: unitText(metresPerUnit), from: from("unit", options.metresPerUnit) },
    { what: "intrinsics", value: cameraText(intrinsics), from: from("intrinsics", options.intrinsics) },
    { what: "fps", value: `${options.fps ?? fps ?? USUAL_FPS}`, from: from("fps", options.fps) },
  ];
}
