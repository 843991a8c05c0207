import {
  findMediaCameras,
  isRecording,
  type MediaCamera,
  openLive,
  openMediaCamera,
  openRecording,
  type Recording,
  type RecordingInput,
  SeveralTopicsError,
  type Source,
  shownAddress,
} from "../../../sources/index.ts";
import { byId } from "../../dom/controls.ts";
import type { Settling } from "../show/settling.ts";
import type { Messages } from "../state/messages.ts";
import { sentence, textOf } from "../state/messageText.ts";
import { type Corrections, keyOf, loadCorrections, nameOf, optionsOf, saveCorrections } from "./corrections.ts";
import { openPhone, type Xr } from "./phone.ts";
import type { Player } from "./player.ts";
import { type OfferedName, sceneAsked } from "./scenes.ts";
import { ask, fetchFile, named, parseSourceLink, parseTyped, rememberStream } from "./sourceLink.ts";
import { openSynthetic } from "./synthetic.ts";

/** A source that can be opened again, with other corrections (kept by its key) or with another depth topic. */
interface Last {
  readonly key: string;
  /** Opens the source once more; without a `name` as it is. */
  open(name?: string): Promise<void>;
}

type Opening = (
  signal: AbortSignal,
) => Promise<{ readonly source: Source; readonly corrections?: Corrections | undefined; readonly last?: Last }>;

/** Opens sources. The present source plays on until the next one has opened, or if that fails. */
export class SourceOpener {
  /** Aborts the opening that is under way. */
  #opening = new AbortController();
  /** The source that plays, if it can be opened again. */
  #last: Last | undefined;
  /** The depth cameras that were found on this computer. */
  cameras: readonly MediaCamera[] = [];
  /** The corrections of the recording that plays. */
  corrections: Corrections | undefined;
  /** The source that the page's address names behind `?source=`, once it is open. */
  asked: Source | undefined;
  /** The files of a recording that another page of this origin has open; this page may be a half of that one. */
  handed: (name: string, topic: string | undefined) => Promise<RecordingInput | null> = async () => null;
  /** Whether a link that the user has followed names this source. */
  isNamed: (source: Source) => boolean = () => false;
  /** Whether the source that is opened next is the one that the address names. */
  #isAsked = false;
  /** Whether the source that is opened next shows what plays, so that what is marked in it stays. */
  #isSame = false;
  /** The corrections made since the page was opened, for browsers that store nothing. */
  readonly #known = new Map<string, Corrections | undefined>();

  constructor(
    readonly player: Player,
    readonly messages: Messages,
    /** While a source opens, the picture is about to change. */
    readonly settling: Pick<Settling, "during">,
    /** `input`: the files of the source, if it is a recording. */
    readonly onOpened: (source: Source, input?: RecordingInput) => void,
  ) {}

  synthetic(scene: OfferedName): Promise<void> {
    return this.#open("Rendering the synthetic scene …", async () => ({ source: await openSynthetic(scene) }));
  }

  recording(input: RecordingInput, topic?: string): Promise<void> {
    return this.#open(`Opening ${nameOf(input)} …`, (signal) => this.#openInput(input, signal, topic), input);
  }

  async #openInput(input: RecordingInput, signal: AbortSignal, topic?: string) {
    const file = await keyOf(input);
    let [key, corrections]: [string, Corrections?] = [file];
    const source = await openFirst((name) => {
      key = [file, name].join(" ");
      corrections = this.#correctionsFor(key);
      return openRecording(input, { topic: name, ...optionsOf(corrections), pair: true, signal });
    }, topic);
    const last = { key, open: (name = topic) => this.recording(input, name) };
    return { source, corrections, last };
  }

  #correctionsFor(key: string): Corrections | undefined {
    return this.#known.has(key) ? this.#known.get(key) : loadCorrections(key);
  }

  /** Opens a depth camera of this computer: the camera of this name, if it is known, else the first that is found. */
  camera(name?: string): Promise<void> {
    return this.#open("Looking for a depth camera …", async (signal) => {
      const named = () => this.cameras.find((camera) => camera.name === name);
      if (!named()) this.cameras = await findMediaCameras({ signal });
      const camera = named() ?? this.cameras[0];
      // The key has the camera's name, since each private window gives a device another id.
      const key = `camera ${camera.name}`;
      const corrections = this.#correctionsFor(key);
      const source = await openMediaCamera(camera, corrections);
      const last = { key, open: (other = camera.name) => this.camera(other) };
      return { source, corrections, last };
    });
  }

  /**
   * Opens the source that the page's address names. The viewer fetches a recording of its own server as a whole; before it connects to a
   * stream or to another server, it asks the user.
   */
  async first(source: string, topic?: string): Promise<void> {
    if (source === "none") return;
    const asked = async (open: () => Promise<void>) => {
      this.#isAsked = true;
      byId("empty").hidden = true;
      await open();
      // What failed leaves the page empty.
      byId("empty").hidden = this.player.source !== null;
    };
    const scene = sceneAsked(source);
    if (scene) return asked(() => this.synthetic(scene));
    const link = parseSourceLink(source, location.href);
    const { messages } = this;
    if (link.kind === "stream" && link.own) await asked(() => this.live(source, topic));
    else if (link.kind === "stream") {
      ask(messages, `This link opens the live stream ${named(source)}.`, "Connect", () => {
        void asked(() => this.live(source, topic));
      });
    } else if (link.kind === "foreign") {
      const { url } = link;
      ask(messages, `This link opens a recording at ${url.host}: ${named(url.href)}`, "Fetch", () => {
        void asked(() => this.#fetch(url, true, topic));
      });
    } else if (link.kind === "own") await asked(() => this.#fetch(link.url, false, topic));
    else messages.show("error", "source", `${named(source)}: ${link.why}`);
  }

  /**
   * Opens an address that the user has entered: a live stream, or a recording, which is fetched as a whole. Of an
   * address that cannot be opened it returns what is wrong.
   */
  address(text: string): Promise<void> | string {
    const link = parseTyped(text, location.href);
    if (link.kind === "none") return link.why;
    return link.kind === "stream" ? this.live(text) : this.#fetch(link.url, link.kind === "foreign");
  }

  #fetch(url: URL, foreign: boolean, topic?: string): Promise<void> {
    return this.#open(`Fetching ${named(url.href)} …`, async (signal) =>
      this.#openInput(await fetchFile(url, foreign, signal), signal, topic),
    );
  }

  /** Stores corrections of the last source and opens it again with them; `undefined` removes the corrections. */
  async correct(corrections: Corrections | undefined): Promise<void> {
    if (!this.#last) return;
    const { key } = this.#last;
    this.#isAsked = this.asked === this.player.source;
    this.#known.set(key, corrections);
    saveCorrections(key, corrections);
    this.#isSame = true;
    await this.#last.open();
  }

  /** Plays another depth topic of the last file or stream, or another depth camera. Resolves to whether that plays now. */
  async topic(name: string): Promise<boolean> {
    const last = this.#last;
    this.#isAsked = last !== undefined && this.asked === this.player.source;
    await last?.open(name);
    return this.#last !== last;
  }

  /** Connects to a live stream over a WebSocket and plays its depth topic `topic`, or its first one if no topic is given. */
  live(address: string, topic?: string): Promise<void> {
    rememberStream(address);
    return this.#open("Connecting …", async () => {
      const open = (name?: string) => openLive(address, { topic: name, ...optionsOf(corrections) });
      let corrections: Corrections | undefined;
      let source = await openFirst(open, topic);
      // Only a stream that is open tells who sends it, and another sender may be at this address today.
      const key = ["stream", shownAddress(address), source.title, source.topic].join(" ");
      corrections = this.#correctionsFor(key);
      if (corrections) {
        await source.close();
        source = await open(source.topic);
      }
      const last = { key, open: (name = topic) => this.live(address, name) };
      return { source, corrections, last };
    });
  }

  /** Opens the depth camera of the phone that shows the page. */
  phone(xr: Xr): Promise<void> {
    return this.#open("Asking the phone …", async () => ({ source: await openPhone(xr, document.body) }));
  }

  /** Plays a source that is open already, such as a camera. */
  source(source: Source): Promise<void> {
    return this.#open("Opening …", async () => ({ source }));
  }

  #open(busy: string, work: Opening, input?: RecordingInput): Promise<void> {
    return this.settling.during(this.#openNow(busy, work, input));
  }

  async #openNow(busy: string, work: Opening, input: RecordingInput | undefined): Promise<void> {
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    const [isAsked, isSame] = [this.#isAsked, this.#isSame];
    this.#isAsked = this.#isSame = false;
    this.messages.clear("source");
    this.messages.show("busy", "opening", busy);
    try {
      const { source, corrections, last } = await work(signal);
      if (signal.aborted) return void source.close();
      const recording = isRecording(source) ? source : undefined;
      if (recording) await checkFirst(recording, signal);
      // The user may have opened another source while this one's first frame was read.
      if (signal.aborted) return void source.close();
      this.corrections = corrections;
      this.#last = last;
      this.asked = isAsked ? source : undefined;
      this.onOpened(source, input);
      this.player.open(source, isSame || this.isNamed(source));
      // The form under the recording's name lists what was assumed, so these warnings would say it twice.
      const warnings = (recording?.warnings ?? []).filter(
        (warning) => !/^no (depth unit|frame rate|intrinsics) /.test(warning),
      );
      if (warnings.length > 0) this.messages.show("notice", "source", warnings.map(sentence).join(" "), 12_000);
    } catch (error) {
      if (!signal.aborted) this.messages.show("error", "source", textOf(error));
    }
    if (!signal.aborted) this.messages.clear("opening");
  }
}

/** Opens a source. If it has several depth topics and none is chosen, the first one plays; the masthead offers the others. */
async function openFirst<S extends Source>(
  open: (topic: string | undefined) => Promise<S>,
  topic: string | undefined,
): Promise<S> {
  try {
    return await open(topic);
  } catch (error) {
    if (!(error instanceof SeveralTopicsError) || topic !== undefined) throw error;
    return open(error.topics[0].name);
  }
}

/** If this many frames at the start of a recording cannot be read, the recording cannot either. */
const TRIED = 3;

/**
 * Throws, and closes the recording, if none of its first frames can be read; then the present source plays on. After `signal` is aborted
 * nobody waits for these frames any more.
 */
async function checkFirst(recording: Recording, signal: AbortSignal): Promise<void> {
  const close = () => void recording.close();
  signal.addEventListener("abort", close);
  let first: unknown;
  for (let index = 0; index < Math.min(TRIED, recording.length); index++) {
    try {
      await recording.read(index);
      signal.removeEventListener("abort", close);
      return;
    } catch (error) {
      first ??= error;
    }
  }
  await recording.close();
  throw first;
}
