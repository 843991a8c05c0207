import { counted } from "../../../core/check.ts";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { Source } from "../../../sources/index.ts";
import { download } from "../../overlay/download.ts";
import type { FullQuality } from "../show/fullQuality.ts";
import type { Player } from "../source/player.ts";
import { textOf } from "../state/messageText.ts";
import { chooseFile } from "./chooseFile.ts";
import { EveryFrame } from "./everyFrame.ts";
import { stemOf } from "./fileNames.ts";
import type { FileKind, FrameFile } from "./frameFiles.ts";
import { McapRecording } from "./mcapRecording.ts";
import type { Results } from "./results.ts";

export interface SequencesParts {
  readonly pipeline: Pipeline;
  readonly player: Player;
  readonly quality: FullQuality;
  readonly settingsFile: () => unknown;
  readonly results: Results;
  /** Makes the file of one frame, its depth in units of `unitM`; called synchronously when the frame is handed out. */
  readonly file: (kind: FileKind, frame: ProcessedFrame, unitM: number) => Promise<FrameFile>;
  /** See `StageController.asMeasured`. */
  readonly asMeasured: (work: () => Promise<void>) => Promise<void>;
  readonly notify: (text: string) => void;
  /** The canvas that shows the view, and draws it at once. */
  readonly canvas: () => HTMLCanvasElement;
  readonly draw: () => void;
}

/** The kind of file in which many frames are being saved. */
export interface Running {
  /** How far the saving is, in words. */
  readonly says: () => string;
  /** Ends the saving; the frames that are there by then are saved. */
  readonly stop: () => void;
}

const NAMES = { picture: "Pictures", points: "Point clouds", depth: "Depth" } as const;

/**
 * Saves many frames. Saves every frame of a recording from In to Out, in order: the page shows one after the other as fast as they are
 * saved. Records a camera's frames as they come, and counts those that are missing.
 */
export class Sequences {
  running: Running | undefined;
  #every: EveryFrame | undefined;
  #live: { readonly recording: McapRecording; readonly source: Source } | undefined;

  constructor(readonly parts: SequencesParts) {}

  /** Call this with each frame when it is handed out. */
  processed(frame: ProcessedFrame): void {
    this.#every?.processed(frame);
    if (!this.#live) return;
    const { recording, source } = this.#live;
    // A file has the frames of one source.
    if (source !== this.parts.player.source) recording.end();
    else void recording.add(frame);
  }

  /** Saves a file of each frame of the recording from In to Out, in one .zip. */
  async files(kind: FileKind): Promise<void> {
    const { player, quality, asMeasured, file: make } = this.parts;
    const { recording } = player;
    if (this.running || !recording) return;
    const name = `${stemOf(recording)}-${NAMES[kind].toLowerCase().replace(" ", "-")}.zip`;
    const place = await this.#choose(name);
    if (place === "nothing") return;
    const { FrameZip } = await import("./frameZip.ts");
    const zip = new FrameZip(await place?.createWritable());
    const times = ["time_ms"];
    let first: ProcessedFrame | undefined;
    const keep = async (frame: ProcessedFrame) => {
      const [file, content] = await make(kind, frame, (first ?? frame).source.metresPerUnit);
      const full = zip.full(content.size);
      if (full) throw new Error(`${full}, so the frames from ${frame.index} on are missing`);
      await zip.add(file, content);
      first ??= frame;
      times.push(`${frame.timestamp}`);
    };
    const walk = () => this.#walk(NAMES[kind], keep, () => zip.bytes);
    try {
      if (kind === "picture") await quality.during(walk);
      else if (kind === "points") await asMeasured(walk);
      else await walk();
    } finally {
      // The frames kept until now are saved, also after an error. Two files tell readers the unit, the lens and the times.
      if (kind === "depth" && first) {
        const { meaning } = await import("../../../write/frames.ts");
        const { source, shape } = first;
        const about = meaning(recording.fps, shape.intrinsics, source.metresPerUnit);
        await zip.add("recording.json", new Blob([JSON.stringify({ ...about, depth: "*.png", times: "times.csv" })]));
        await zip.add("times.csv", new Blob([times.join("\n")]));
      }
      const made = await zip.end();
      if (made) download(name, made);
    }
  }

  /** Saves a video of the view with every frame of the recording from In to Out, at the recording's own times. */
  async film(): Promise<void> {
    const { player, quality, canvas, draw } = this.parts;
    const { source } = player;
    if (this.running || !player.recording || !source) return;
    if (!("VideoEncoder" in globalThis)) {
      throw new Error("this browser has no video encoder (WebCodecs): save all pictures, or a video of what plays");
    }
    const name = `${stemOf(source)}.webm`;
    const place = await this.#choose(name);
    if (place === "nothing") return;
    const { FrameFilm } = await import("./frameFilm.ts");
    const film = new FrameFilm(await place?.createWritable(), source.fps);
    const keep = async (frame: ProcessedFrame) => {
      if (film.full) throw new Error(`${film.full}, so the frames from ${frame.index} on are missing`);
      draw();
      await film.add(canvas(), frame.timestamp);
    };
    try {
      await quality.during(() => this.#walk("Video", keep, () => film.bytes));
    } finally {
      const made = await film.end();
      if (made) download(name, made);
    }
  }

  /** Records depth as MCAP: of a recording every frame from In to Out, of a camera what plays until `stop`. */
  async record(raw: boolean): Promise<void> {
    const { pipeline, player, results, settingsFile, notify } = this.parts;
    const { source } = player;
    if (this.running || !source) return;
    const name = `${stemOf(source)}-${raw ? "raw" : "filtered"}.mcap`;
    const file = await this.#choose(name);
    if (file === "nothing") return;
    const recording = new McapRecording({ file, raw, settings: settingsFile(), fps: source.fps, pipeline });
    const { ended } = recording;
    let lost: unknown;
    try {
      if (player.recording) {
        const stop = () => this.#every?.stop();
        ended.then(stop, stop);
        const walked = this.#walk(
          "MCAP",
          (frame) => recording.addAndWait(frame),
          () => recording.bytes,
        );
        // What was recorded is saved, also where a frame is missing.
        await walked.catch((error: unknown) => {
          lost = error;
        });
        recording.end();
      } else {
        this.#live = { recording, source };
        const says = () => {
          const { frames, bytes, dropped } = recording;
          return `MCAP ${counted(frames, "frame")}, ${megabytes(bytes)}${dropped > 0 ? `, ${dropped} dropped` : ""}`;
        };
        this.running = { says, stop: () => recording.end() };
        // While a camera is paused, the frame on the screen is recorded.
        if (!player.playing) await results.read((frame) => recording.add(frame));
      }
      const { file: made, full } = await ended;
      if (made) download(name, made);
      if (full) notify("Memory is full: the recording has ended, and its frames up to here were saved.");
      if (lost !== undefined) throw lost;
    } finally {
      // Where the frame on the screen could not be had, the file is closed, too.
      recording.end();
      this.running = this.#live = undefined;
    }
  }

  /** Keeps something of every frame from In to Out, and then goes back to the frame that was shown before. */
  async #walk(what: string, keep: (frame: ProcessedFrame) => Promise<void>, bytes: () => number): Promise<void> {
    const { player, notify } = this.parts;
    const { playing, index, source } = player;
    const every = new EveryFrame(player, keep);
    const says = () => `${what} ${every.kept} of ${every.count} frames, ${megabytes(bytes())}`;
    this.#every = every;
    this.running = { says, stop: () => every.stop() };
    try {
      await every.run();
    } catch (error) {
      throw new Error(`${every.kept} of ${every.count} frames were saved: ${textOf(error)}`);
    } finally {
      this.running = this.#every = undefined;
    }
    const { kept, unreadable, count } = every;
    if (unreadable > 0) notify(`${unreadable} of ${count} frames could not be read and are missing.`);
    if (kept + unreadable < count) return notify(`${kept} of ${count} frames were saved.`);
    if (player.source !== source) return;
    player.seek(index);
    if (playing) player.play();
  }

  #choose(name: string): ReturnType<typeof chooseFile> {
    return chooseFile(name).then((file) => {
      if (file === undefined)
        this.parts.notify(
          "This browser cannot write files: what is saved stays in memory until it ends, 1 GB at most.",
        );
      return file;
    });
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
