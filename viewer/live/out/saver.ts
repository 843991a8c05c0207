import { defaultIfEmpty, filter, firstValueFrom, map, type Observable, takeUntil, timer } from "rxjs";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { inUnits } from "../../../sources/write/units.ts";
import { download, downloadJson } from "../../overlay/download.ts";
import type { FullQuality } from "../show/fullQuality.ts";
import type { Player } from "../source/player.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";
import { frameFile, stemOf } from "./fileNames.ts";
import { Film } from "./film.ts";
import { McapRecording } from "./mcapRecording.ts";
import { Results } from "./results.ts";

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
  readonly settingsFile: () => unknown;
  /** The page's address with all present settings. */
  readonly link: () => string;
}

const TOPIC = "save";
/** `picture` waits so long for the next picture, or for one of full quality, ms, and then saves the one on the screen. */
const [NEXT_MS, FULL_MS] = [1500, 10_000];

/** Saves what the menu offers. Errors are shown as messages; no method throws. */
export class Saver {
  film: Film | undefined;
  recording: McapRecording | undefined;
  readonly #results: Results;
  /** The frame on the screen. */
  #onScreen: DepthFrame | undefined;

  constructor(readonly parts: SaverParts) {
    this.#results = new Results(parts);
    parts.shown$.subscribe(({ source }) => {
      this.#onScreen = source;
    });
  }

  /** Call this with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    this.#results.processed(frame);
    void this.recording?.add(frame);
  }

  picture(): Promise<void> {
    return this.#trying("The picture", async () => {
      const [name, blob] = await this.#copy();
      download(name, await blob);
    });
  }

  /**
   * Copies the picture in the moment in which its frame is shown, so that the file carries that frame's number: the next picture while
   * pictures come, else the one on the screen. If the governor has pictures made smaller to save time, this waits for one of full size.
   */
  async #copy(): Promise<readonly [name: string, content: Promise<Blob>]> {
    const { pipeline, player, shown$, quality, invalidate, canvas, draw } = this.parts;
    const copy = () => {
      draw();
      return [this.#name(this.#onScreen, "-view.png"), pictureOf(canvas())] as const;
    };
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
      const { pointsPly } = await import("../../report/ply.ts");
      const [name, points, colours] = await this.#asMeasured(
        async (frame) => [this.#name(frame.source, ".ply"), await frame.readPoints(), this.#coloursOf(frame)] as const,
      );
      const ply = pointsPly(points, colours);
      download(name, new Blob([ply], { type: "application/octet-stream" }));
    });
  }

  /** Says whose colours a frame's points have. */
  #coloursOf({ source }: ProcessedFrame): string {
    const { pipeline } = this.parts;
    const paint = pipeline.stages.find(({ name, role }) => role === "colour" && pipeline.isEnabled(name));
    if (paint) return `painted by the viewer (${paint.parameters.by}), since the camera gave none`;
    return source.color ? "the camera's, grey by distance where it saw none" : "grey by distance";
  }

  /**
   * Reads filtered depth alone, in the camera's own colours if it has some. Raw points beside it and painted light serve for looking at the
   * scene, so their stages are off while one frame is processed.
   */
  async #asMeasured<T>(reader: (frame: ProcessedFrame) => Promise<T>): Promise<T> {
    const { pipeline, invalidate } = this.parts;
    const roles = this.#onScreen?.color ? ["view", "colour"] : ["view"];
    const left = pipeline.stages.filter(({ name, role }) => roles.includes(role) && pipeline.isEnabled(name));
    if (left.length === 0) return this.#results.read(reader);
    for (const { name } of left) pipeline.configure(name, { enabled: false });
    try {
      return await this.#results.again(reader);
    } finally {
      for (const { name } of left) pipeline.configure(name, { enabled: true });
      invalidate();
    }
  }

  /** Saves depth as a PNG of 16 bits in the recording's units; 0 is invalid. */
  depth(): Promise<void> {
    return this.#trying("The depth", async () => {
      const { encode } = await import("fast-png");
      const [name, { data, shape }] = await this.#results.read(async (frame) => {
        const { metresPerUnit } = frame.shape;
        const depth = await frame.readDepth();
        return [
          this.#name(frame.source, "-depth.png"),
          inUnits({ depth, metresPerUnit }, frame.source.metresPerUnit),
        ] as const;
      });
      const [height = 0, width = 0] = shape;
      const png = encode({ width, height, data, depth: 16, channels: 1 });
      download(name, new Blob([png as Uint8Array<ArrayBuffer>], { type: "image/png" }));
    });
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
      this.parts.messages.show(
        "notice",
        TOPIC,
        `The browser does not let this page copy text; this is the link: ${link}`,
      );
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

  /** Begins to record what plays, or ends it. */
  record(raw: boolean): Promise<void> {
    return this.#trying("The recording", async () => {
      if (this.recording) return this.recording.end();
      const name = `${this.#stem}-${raw ? "raw" : "filtered"}.mcap`;
      const file = await chooseFile(name);
      if (file === "nothing") return;
      const recording = new McapRecording({
        file,
        raw,
        settings: this.parts.settingsFile(),
        fps: this.parts.player.source?.fps ?? 0,
        pipeline: this.parts.pipeline,
      });
      this.recording = recording;
      if (!file)
        this.#notify("This browser cannot write to files: the recording stays in memory until it ends, 1 GB at most.");
      // While playing is paused, the frame on the screen is recorded.
      if (!this.parts.player.playing) await this.#results.read((frame) => recording.add(frame));
      try {
        const { file: made, full } = await recording.ended;
        if (made) download(name, made);
        if (full) this.#notify("Memory is full: the recording has ended, and its frames up to here were saved.");
      } finally {
        this.recording = undefined;
      }
    });
  }

  get #stem(): string {
    return stemOf(this.parts.player.source);
  }

  /** The name of a file with something of one frame: that of the source it came from, and the frame's number. */
  #name(frame: DepthFrame | undefined, end: string): string {
    const source = frame && this.parts.player.sourceOf(frame);
    return frameFile(stemOf(source ?? null), frame?.index ?? 0, end);
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

/**
 * Encodes a canvas as PNG. A GPU's canvas keeps its picture only until the end of this task, and in Chromium `toBlob` may come too late: so
 * the picture is copied at once.
 */
function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  copy.getContext("2d", { alpha: false })?.drawImage(canvas, 0, 0);
  return copy.convertToBlob({ type: "image/png" });
}

/** Asks where to write; returns `undefined` if the browser lets pages write to no file. */
async function chooseFile(suggestedName: string): Promise<FileSystemFileHandle | "nothing" | undefined> {
  const show: ((options: object) => Promise<FileSystemFileHandle>) | undefined = Reflect.get(
    globalThis,
    "showSaveFilePicker",
  );
  if (!show) return undefined;
  try {
    return await show({ suggestedName });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "nothing";
    throw error;
  }
}
