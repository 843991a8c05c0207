import {
  findMediaCameras,
  isRecording,
  type MediaCamera,
  type OpenOptions,
  openLive,
  openMediaCamera,
  openRecording,
  type RecordedSource,
  type Recording,
  type RecordingInput,
  SeveralTopics,
  type Source,
} from "../../../sources/index.ts";
import { byId } from "../../dom/element.ts";
import type { Messages } from "../state/messages.ts";
import { sentence, textOf } from "../state/messageText.ts";
import { type Corrections, keyOf, loadCorrections, saveCorrections } from "./corrections.ts";
import { openPhone, type Xr } from "./phone.ts";
import type { Player } from "./player.ts";
import { type OfferedName, sceneAsked } from "./scenes.ts";
import { ask, fetchFile, named, parseSourceLink, rememberStream } from "./sourceLink.ts";
import { openSynthetic } from "./synthetic.ts";

/** Opens sources. What was playing plays on until the next one has opened, and stays if it does not. */
export class SourceOpener {
  /** Of what is being opened, or was opened last: aborted when something else is to be opened. */
  #opening = new AbortController();
  /** What was opened last, to open it again with what somebody knows of it, or another depth stream of it. */
  #last: { readonly key: string; again(): Promise<void>; other(name: string): Promise<void> } | undefined;
  /** The depth cameras that were found on this computer. */
  cameras: readonly MediaCamera[] = [];
  /** Of what plays, where it is a recording that does not say everything. */
  corrections: Corrections | undefined;
  /** The corrections made since the page was opened, for browsers that store nothing. */
  readonly #known = new Map<string, Corrections | undefined>();

  constructor(
    readonly player: Player,
    readonly messages: Messages,
    /** `input`: what it was opened from, where that is a recording's files. */
    readonly onOpened: (source: Source, input?: RecordingInput) => void,
  ) {}

  synthetic(scene: OfferedName): Promise<void> {
    return this.#open("Lighting the synthetic scene …", async () => ({ source: await openSynthetic(scene) }));
  }

  recording(input: RecordingInput, topic?: string): Promise<void> {
    return this.#open("Opening …", (signal) => this.#openInput(input, signal, topic), input);
  }

  async #openInput(input: RecordingInput, signal: AbortSignal, topic?: string) {
    const key = keyOf(input);
    const corrections = this.#correctionsFor(key);
    const source = await openFirst(input, topic, { ...corrections, signal });
    this.#last = {
      key,
      again: () => this.recording(input, topic),
      other: (name) => this.recording(input, name),
    };
    return { source, corrections };
  }

  #correctionsFor(key: string): Corrections | undefined {
    return this.#known.has(key) ? this.#known.get(key) : loadCorrections(key);
  }

  /** A depth camera of this computer: the one of that name among those that are known, else the first that is found. */
  camera(name?: string): Promise<void> {
    return this.#open("Looking for a depth camera …", async (signal) => {
      const named = () => this.cameras.find((camera) => camera.name === name);
      if (!named()) this.cameras = await findMediaCameras(signal);
      const camera = named() ?? this.cameras[0];
      // The browser's id of a device is a new one in each private window.
      const key = `camera ${camera.name}`;
      const corrections = this.#correctionsFor(key);
      const source = await openMediaCamera(camera, corrections);
      this.#last = { key, again: () => this.camera(camera.name), other: (other) => this.camera(other) };
      return { source, corrections };
    });
  }

  /**
   * What the page's address asks for: a synthetic scene, a recording of this server's, which is fetched as a whole; and a stream or
   * another server's recording, for which the user is asked before anything is connected to.
   */
  async first(source: string): Promise<void> {
    if (source === "none") return;
    const scene = sceneAsked(source);
    if (scene) {
      byId("empty").hidden = true;
      return this.synthetic(scene);
    }
    const asked = parseSourceLink(source, location.href);
    const { messages } = this;
    if (asked.kind === "stream") {
      ask(messages, `This link is of the live stream ${named(source)}.`, "Connect", () => void this.live(source));
    } else if (asked.kind === "foreign") {
      const { url } = asked;
      ask(
        messages,
        `This link is of a recording at ${url.host}: ${named(url.href)}`,
        "Fetch",
        () => void this.#fetch(url, true),
      );
    } else if (asked.kind === "own") {
      byId("empty").hidden = true;
      await this.#fetch(asked.url, false);
    } else messages.show("error", "source", `${named(source)}: ${asked.why}`);
  }

  #fetch(url: URL, foreign: boolean): Promise<void> {
    return this.#open("Fetching …", async (signal) => this.#openInput(await fetchFile(url, foreign, signal), signal));
  }

  /** Opens what was opened last with what somebody knows of it, and keeps that; with nothing it is as it is assumed. */
  async correct(corrections: Corrections | undefined): Promise<void> {
    if (!this.#last) return;
    const { key } = this.#last;
    this.#known.set(key, corrections);
    saveCorrections(key, corrections);
    await this.#last.again();
  }

  /** Plays another depth topic of the file that was opened last, or another depth camera. */
  async topic(name: string): Promise<void> {
    await this.#last?.other(name);
  }

  /** A stream at the other end of a WebSocket. */
  live(address: string): Promise<void> {
    rememberStream(address);
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
    work: (signal: AbortSignal) => Promise<{ source: Source; corrections?: Corrections | undefined }>,
    input?: RecordingInput,
  ): Promise<void> {
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.messages.clear("source");
    this.messages.show("busy", "opening", busy);
    try {
      const { source, corrections } = await work(signal);
      if (signal.aborted) return void source.close();
      const recording = isRecording(source) ? source : undefined;
      if (recording) await checkFirst(recording, signal);
      // Another source may have been asked for while this one's first frame was read.
      if (signal.aborted) return void source.close();
      this.corrections = corrections;
      this.onOpened(source, input);
      this.player.open(source);
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

/** Of a file with several depth topics the first plays where none is chosen: the others are to be had in the masthead. */
async function openFirst(
  input: RecordingInput,
  topic: string | undefined,
  options: OpenOptions,
): Promise<RecordedSource> {
  try {
    return await openRecording(input, { topic, ...options });
  } catch (error) {
    if (!(error instanceof SeveralTopics) || topic !== undefined) throw error;
    return openRecording(input, { topic: error.topics[0].name, ...options });
  }
}

/** Frames that are tried before a recording is taken for one that cannot be read. */
const TRIED = 3;

/**
 * Throws, and closes the recording, if none of its first frames can be read: then what plays had better go on. Once `signal` is
 * aborted nobody waits for those frames any more.
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
