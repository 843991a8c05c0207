import {
  isAddress,
  isRecording,
  openLive,
  openRecording,
  type RecordedSource,
  type Recording,
  type RecordingInput,
  SeveralTopics,
  type Source,
} from "../../../sources/index.ts";
import { byId } from "../../dom/element.ts";
import type { Messages } from "../messages.ts";
import { keyOf, type PutRight, recall, remember } from "./assumed.ts";
import { openPhone, type Xr } from "./phone.ts";
import type { Player } from "./player.ts";
import { openSynthetic } from "./synthetic.ts";

/** Errors of the sources say what to do; whatever else goes wrong says at least what it is. */
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** "no lens is said" as a sentence. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/[.!?…]?$/, (end) => end || ".");

/** Opens sources. What was playing plays on until the next one has opened, and stays if it does not. */
export class Opener {
  #asked = 0;
  /** What was opened last, for another depth topic of it. */
  #input: RecordingInput | undefined;
  #topic: string | undefined;
  /** Of what plays, where it is a recording that does not say everything. */
  putRight: PutRight | undefined;
  /** What was put right while the page is open: a browser may keep nothing. */
  readonly #known = new Map<string, PutRight | undefined>();

  constructor(
    readonly player: Player,
    readonly messages: Messages,
    /** `input`: what it was opened from, where that is a recording's files. */
    readonly onOpened: (source: Source, input?: RecordingInput) => void,
  ) {}

  synthetic(): Promise<void> {
    return this.#open("Lighting the synthetic room …", async () => ({ source: await openSynthetic() }));
  }

  recording(input: RecordingInput, topic?: string): Promise<void> {
    return this.#open("Opening …", () => this.#openInput(input, topic), input);
  }

  async #openInput(input: RecordingInput, topic?: string) {
    const key = keyOf(input);
    const right = this.#known.has(key) ? this.#known.get(key) : recall(key);
    const source = await openFirst(input, topic, right);
    this.#input = input;
    this.#topic = topic;
    return { source, right };
  }

  /** What the page's address asks for: the synthetic room, a stream, or a recording on a server, which is fetched as a whole. */
  async first(source: string): Promise<void> {
    if (source === "none") return;
    byId("empty").hidden = true;
    if (source === "synthetic") return this.synthetic();
    if (isAddress(source)) return this.live(source);
    await this.#open("Fetching …", async () => this.#openInput(await fetchFile(source)));
  }

  /** Opens what was opened last with what somebody knows of it, and keeps that; with nothing it is as it is assumed. */
  async correct(right: PutRight | undefined): Promise<void> {
    if (!this.#input) return;
    const key = keyOf(this.#input);
    this.#known.set(key, right);
    remember(key, right);
    await this.recording(this.#input, this.#topic);
  }

  /** Plays another depth topic of the file that was opened last. */
  async topic(name: string): Promise<void> {
    if (this.#input) await this.recording(this.#input, name);
  }

  /** A stream at the other end of a WebSocket. */
  live(address: string): Promise<void> {
    return this.#open("Connecting …", async () => ({ source: await openLive(address) }));
  }

  /** The depth camera of the phone that shows the page. */
  phone(xr: Xr): Promise<void> {
    return this.#open("Asking the phone …", async () => ({ source: await openPhone(xr, document.body) }));
  }

  /** A source that is open already: a camera, a stream of another program's. */
  source(source: Source): Promise<void> {
    return this.#open("Opening …", async () => ({ source }));
  }

  async #open(
    busy: string,
    work: () => Promise<{ source: Source; right?: PutRight | undefined }>,
    input?: RecordingInput,
  ): Promise<void> {
    const asked = ++this.#asked;
    this.messages.clear("source");
    this.messages.show("busy", "opening", busy);
    try {
      const { source, right } = await work();
      const recording = isRecording(source) ? source : undefined;
      if (recording) await checkFirst(recording);
      if (asked !== this.#asked) return void source.close();
      this.putRight = right;
      this.onOpened(source, input);
      this.player.open(source);
      // What is assumed where nobody says it stands under the recording's name, to be put right.
      const warnings = (recording?.warnings ?? []).filter((warning) => !warning.startsWith("nothing says"));
      if (warnings.length > 0) this.messages.show("notice", "source", warnings.map(sentence).join(" "), 12_000);
    } catch (error) {
      if (asked === this.#asked) this.messages.show("error", "source", textOf(error));
    }
    if (asked === this.#asked) this.messages.clear("opening");
  }
}

/** Of a file with several depth topics the first plays where none is chosen: the others are to be had in the masthead. */
async function openFirst(
  input: RecordingInput,
  topic: string | undefined,
  right: PutRight | undefined,
): Promise<RecordedSource> {
  try {
    return await openRecording(input, { topic, ...right });
  } catch (error) {
    if (!(error instanceof SeveralTopics) || topic !== undefined) throw error;
    return openRecording(input, { topic: error.topics[0].name, ...right });
  }
}

async function fetchFile(address: string): Promise<File> {
  const answer = await fetch(address).catch((error) => {
    throw new Error(`${address}: it cannot be fetched (${textOf(error)}); its server must allow this page to`);
  });
  if (!answer.ok) throw new Error(`${address}: the server says ${answer.status} ${answer.statusText}`);
  return new File([await answer.blob()], nameIn(address));
}

/** The last part of an address, as it stands there where its % mean nothing. */
function nameIn(address: string): string {
  const last = new URL(address, location.href).pathname.split("/").at(-1) || "recording";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Frames that are tried before a recording is taken for one that cannot be read. */
const TRIED = 3;

/** Throws, and closes the recording, if none of its first frames can be read: then what plays had better go on. */
async function checkFirst(recording: Recording): Promise<void> {
  let first: unknown;
  for (let index = 0; index < Math.min(TRIED, recording.length); index++) {
    try {
      return void (await recording.read(index));
    } catch (error) {
      first ??= error;
    }
  }
  await recording.close();
  throw first;
}
