import { defaultIfEmpty, filter, firstValueFrom, map, type Observable, takeUntil, timer } from "rxjs";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { download, downloadJson } from "../../overlay/download.ts";
import type { FullQuality } from "../show/fullQuality.ts";
import type { StageController } from "../show/stageController.ts";
import type { Player } from "../source/player.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";
import { stemOf } from "./fileNames.ts";
import { Film } from "./film.ts";
import { type FileKind, type FrameFile, FrameFiles } from "./frameFiles.ts";
import { Results } from "./results.ts";
import { Sequences } from "./sequences.ts";

export interface SaverParts {
  readonly pipeline: Pipeline;
  readonly player: Player;
  readonly quality: FullQuality;
  readonly messages: Messages;
  /** The canvas that shows the view; after the loss of a device it may be another one. */
  readonly canvas: () => HTMLCanvasElement;
  /** Draws the view on the canvas at once. */
  readonly draw: () => void;
  /** Each frame when it is shown, new or drawn again. */
  readonly shown$: Observable<ProcessedFrame>;
  readonly invalidate: () => void;
  /** See `StageController.asMeasured`. */
  readonly asMeasured: StageController["asMeasured"];
  readonly settingsFile: () => unknown;
  /** The page's address with all present settings. */
  readonly link: () => string;
}

const TOPIC = "save";
/** How long `picture` waits for the next picture, or for one of full quality, ms, before it saves the picture on the screen. */
const NEXT_MS = 1500;
const FULL_MS = 10_000;

/** Saves what the menu offers. Errors are shown as messages; no method throws. */
export class Saver {
  film: Film | undefined;
  /** The kind of file in which many frames are being saved. */
  readonly sequences: Sequences;
  readonly #results: Results;
  readonly #files: FrameFiles;
  /** The frame on the screen. */
  #onScreen: DepthFrame | undefined;

  constructor(readonly parts: SaverParts) {
    const results = new Results(parts);
    const files = new FrameFiles(parts);
    this.#results = results;
    this.#files = files;
    parts.shown$.subscribe(({ source }) => {
      this.#onScreen = source;
    });
    this.sequences = new Sequences({
      ...parts,
      results,
      file: (kind, frame, unitM) =>
        kind === "depth"
          ? files.depth(frame, unitM)
          : kind === "points"
            ? files.points(frame)
            : files.picture(frame.source),
      notify: (text) => this.#notify(text),
    });
  }

  /** Call this with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    this.#results.processed(frame);
    this.sequences.processed(frame);
  }

  picture(): Promise<void> {
    return this.#trying("The picture", async () => download(...(await this.#picture())));
  }

  /**
   * Copies the picture in the moment in which its frame is shown, so that the file carries that frame's number: the next picture while
   * pictures come, else the one on the screen. If the governor has pictures made smaller to save time, this waits for one of full size.
   */
  async #picture(): Promise<FrameFile> {
    const { pipeline, player, shown$, quality, invalidate } = this.parts;
    const copy = () => this.#files.picture(this.#onScreen);
    const lowered = quality.isLowered;
    if (!lowered && !player.playing && !player.reading) return copy();
    const wanted = pipeline.stages.find(({ role }) => role === "picture")?.parameters.width;
    const next = shown$.pipe(
      // A frame that was in flight already still has the smaller size.
      filter(({ cpu, gpu }) => (cpu?.picture?.width ?? gpu?.picture?.color.width ?? wanted) === wanted),
      map(copy),
      takeUntil(timer(lowered ? FULL_MS : NEXT_MS)),
      defaultIfEmpty(undefined),
    );
    if (!lowered) return (await firstValueFrom(next)) ?? copy();
    try {
      return await quality.during(async () => {
        invalidate();
        return (await firstValueFrom(next)) ?? copy();
      });
    } finally {
      invalidate();
    }
  }

  points(): Promise<void> {
    return this.#trying("The points", async () => {
      const make = (frame: ProcessedFrame) => this.#files.points(frame);
      const read = (off: boolean) => (off ? this.#results.again(make) : this.#results.read(make));
      download(...(await this.parts.asMeasured(read)));
    });
  }

  /** Saves the frame's surface. */
  mesh(): Promise<void> {
    return this.#one("The mesh", (frame) => this.#files.mesh(frame));
  }

  depth(): Promise<void> {
    return this.#one("The depth", (frame) => this.#files.depth(frame));
  }

  #one(what: string, make: (frame: ProcessedFrame) => Promise<FrameFile>): Promise<void> {
    return this.#trying(what, async () => download(...(await this.#results.read(make))));
  }

  /** Saves a video of every frame of the recording from In to Out. */
  everyFrameAsFilm(): Promise<void> {
    return this.#trying("The video", () => this.sequences.film());
  }

  /** Saves a file of each frame of the recording from In to Out. */
  everyFrame(kind: FileKind): Promise<void> {
    return this.#trying("The frames", () => this.sequences.files(kind));
  }

  settings(): void {
    downloadJson(`${this.#stem}-settings.json`, this.parts.settingsFile());
  }

  async copyLink(): Promise<void> {
    const link = this.parts.link();
    try {
      await navigator.clipboard.writeText(link);
      this.parts.messages.show("notice", TOPIC, "The link is copied: it opens this view again.", 4000);
    } catch {
      // The browser forbids it, or the page is not secure: the user copies the link by hand.
      this.parts.messages.show("notice", TOPIC, `This page may not copy text; this is the link: ${link}`);
    }
  }

  /** Begins a video of the view, or ends it. */
  video(): Promise<void> {
    return this.#trying("The video", async () => {
      if (this.film) return this.film.end();
      const film = new Film(this.parts.canvas(), this.parts.draw);
      this.film = film;
      const name = `${this.#stem}.${film.extension}`;
      try {
        download(name, await film.ended);
      } finally {
        this.film = undefined;
      }
    });
  }

  /** Records depth: every frame of a recording from In to Out, or what a camera gives until it is stopped. */
  record(raw: boolean): Promise<void> {
    return this.#trying("The recording", () => this.sequences.record(raw));
  }

  get #stem(): string {
    return stemOf(this.parts.player.source);
  }

  #notify(text: string): void {
    this.parts.messages.show("notice", TOPIC, text, 10_000);
  }

  async #trying(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.messages.show("error", TOPIC, `${what} cannot be saved: ${textOf(error)}`);
    }
  }
}
