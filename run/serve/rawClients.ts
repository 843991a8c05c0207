import { fileOf } from "../../core/pictureFile.ts";
import { withExtras } from "../../core/withExtras.ts";
import { isAssumed } from "../../sources/format/format.ts";
import { type DepthFrame, isLive, type Recording, type Source } from "../../sources/index.ts";
import {
  DEPTH_V2_PROTOCOL,
  depthMessage,
  FILES_TEXT,
  type Greeting,
  infraredText,
  watchText,
} from "../../sources/live/depth.ts";
import { depthV2Encoder } from "../../write/depthV2.ts";
import { describe } from "../report/failure.ts";
import { factsOf } from "../report/place.ts";
import type { Client } from "./client.ts";
import type { ServedControls } from "./controls.ts";

/** A server's clients of raw depth, as it is or packed, with infrared images for those that ask for them. */
export class RawClients {
  readonly #watching = new Set<Client>();
  /** The clients that asked for infrared images. */
  readonly #seeing = new Set<Client>();
  /** The clients that asked for colour as the recording's own files. */
  readonly #decoding = new Set<Client>();
  /** Whether it was told that a frame lacks the pair that is asked for. */
  #isPairless = false;
  #pack: Awaited<ReturnType<typeof depthV2Encoder>> | undefined;

  constructor(
    /** The source that is served; if a recording is filtered, its `extras` are the recording's. */
    readonly source: Source & Pick<Partial<Recording>, "extras">,
    readonly options: {
      readonly controls?: boolean;
      readonly infrared?: boolean;
      readonly pair?: boolean | "asked";
      readonly published?: boolean;
    },
    readonly controls: ServedControls,
    /** A client begins to watch, or stops. */
    readonly onWatch: (more: 1 | -1) => void,
    readonly warn: (line: string) => void,
  ) {}

  /** How many clients watch. */
  get watching(): number {
    return this.#watching.size;
  }

  /** Serves a client that has connected. */
  greet(client: Client): void {
    const { name, fps } = this.source;
    const rate = this.options.published ? {} : { fps };
    const assumed = factsOf(this.source).filter(isAssumed);
    const { list: controls } = this.controls;
    const own = { ...(controls && { controls }), ...(this.#offersInfrared && { infrared: true }) };
    const greeting: Greeting = { name, ...rate, assumed: assumed.map(({ what }) => what), colorFiles: true, ...own };
    client.send(JSON.stringify(greeting));
    this.controls.add(client);
    client.socket.on("message", (data) => {
      const text = String(data);
      if (text === infraredText(true) || text === infraredText(false)) this.#see(client, text === infraredText(true));
      else if (text === FILES_TEXT) this.#decoding.add(client);
      else if (!this.controls.heard(text)) this.#watch(client, text === watchText(true));
    });
    client.socket.on("close", () => {
      this.#watch(client, false);
      this.#see(client, false);
      this.#decoding.delete(client);
    });
  }

  #watch(client: Client, on: boolean): void {
    if (this.#watching.has(client) === on) return;
    if (on) this.#watching.add(client);
    else this.#watching.delete(client);
    this.onWatch(on ? 1 : -1);
  }

  #see(client: Client, on: boolean): void {
    if (on && this.#offersInfrared) this.#seeing.add(client);
    else if (!this.#seeing.delete(client)) return;
    const { source, options } = this;
    if (options.controls && isLive(source)) source.wantInfrared?.(this.#seeing.size > 0);
  }

  get #offersInfrared(): boolean {
    const { source } = this;
    const has = isLive(source) ? source.infrared : this.source.extras?.holds.includes("infrared");
    return this.options.infrared === true && has === true;
  }

  /** The frame with the notes and, if somebody wants it, the infrared image that the recording has of it. */
  async whole(frame: DepthFrame): Promise<DepthFrame> {
    try {
      return await withExtras(frame, this.source.extras, [
        "metadata",
        ...(this.#seeing.size > 0 ? ["infrared" as const] : []),
      ]);
    } catch (error) {
      this.warn(`frame ${frame.index} is sent without what cannot be read beside depth: ${describe(error)}`);
      return frame;
    }
  }

  /** The messages of a frame: their bytes, each counted once, and a function that sends each client its own. */
  async messages(frame: DepthFrame, about: Parameters<typeof depthMessage>[1]) {
    const packs = [...this.#watching].some(({ protocol }) => protocol === DEPTH_V2_PROTOCOL);
    if (packs) this.#pack ??= await depthV2Encoder();
    const packed = packs ? this.#pack?.(frame.depth) : undefined;
    const file = fileOf(frame.color?.data);
    if (this.options.pair === "asked" && !frame.pair && !this.#isPairless) {
      this.#isPairless = true;
      this.warn(
        `frame ${about.index} is sent without a pair of images: it has none, or a filter changed the size or the lens`,
      );
    }
    const sighted = this.options.pair ? frame : { ...frame, pair: undefined };
    const blind = { ...sighted, infrared: undefined };
    const made = new Map<string, Uint8Array[]>();
    const messageTo = (client: Client) => {
      const packs = client.protocol === DEPTH_V2_PROTOCOL;
      const sees = this.#seeing.has(client);
      const decodes = this.#decoding.has(client);
      const jump = about.jump || client.missesJump;
      const form = `${packs} ${sees} ${decodes} ${jump}`;
      const said = { ...about, ...(jump && { jump }) };
      const parts =
        made.get(form) ??
        depthMessage(sees ? sighted : blind, said, packs ? packed : undefined, decodes ? file : undefined);
      made.set(form, parts);
      return parts;
    };
    for (const client of this.#watching) messageTo(client);
    // Parts that are the frame's own memory count once.
    const sizes = new Map([...made.values()].flat().map(({ buffer, byteLength }) => [buffer, byteLength]));
    return {
      bytes: [...sizes.values()].reduce((sum, one) => sum + one, 0),
      send: () => {
        for (const client of this.#watching) {
          const parts = messageTo(client);
          for (const [i, part] of parts.entries()) client.send(part, { fin: i === parts.length - 1 });
        }
      },
    };
  }
}
