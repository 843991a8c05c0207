import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { SourceError } from "../../../../core/source.ts";
import { noteRead } from "../../../files/progress.ts";

/** Frames that one process of ffmpeg decodes at most, and the seconds of CPU time in which it has to end. */
const MOST_FRAMES = 900;
const MOST_CPU_S = 600;
/** The most frames that are skipped by decoding them; ffmpeg seeks to go farther. */
const NEAR = 16;
/** The demuxers for the endings of names that LeRobot's films have: ffmpeg must not take a list of other files for a film. */
const DEMUXERS: Readonly<Record<string, string>> = { mp4: "mov", mov: "mov", mkv: "matroska", webm: "matroska" };

/** A film on this machine's disk, and the part of it that is wanted. */
interface FilmPlace {
  readonly path: string;
  /** Heads messages. */
  readonly where: string;
  readonly fps: number;
  readonly fromS: number;
  /** The most pixels of a frame. */
  readonly maxPixels: number;
  /** Whether each picture has its hash in the film, as in those that Depthloom writes: a picture that differs from it is not read. */
  readonly hashed?: boolean;
}

/** A film's frames, decoded by ffmpeg, in order or by seeking. */
export interface Film {
  readonly width: number;
  readonly height: number;
  /** Bits of a value; values of more than 8 take two bytes, the low one first. */
  readonly bits: number;
  /** The first plane of a frame, or its RGBA bytes. */
  read(index: number): Promise<Uint8Array>;
  close(): void;
}

/** Opens the first plane of a film: depth, or grey. Throws a `SourceError` where ffmpeg is missing or cannot decode the film. */
export const openGreyFilm = (place: FilmPlace): Promise<Film> =>
  FfmpegFilm.open(place, "extractplanes=y", ["-f", "yuv4mpegpipe", "-strict", "-1"]);

/** Opens a film in colour, of the size that is given. */
export const openColorFilm = (place: FilmPlace, width: number, height: number): Promise<Film> =>
  FfmpegFilm.open(place, `scale=${width}:${height}`, ["-f", "rawvideo", "-pix_fmt", "rgba"], { width, height });

class FfmpegFilm implements Film {
  #run: Run | undefined;
  #next = 0;
  #end = 0;
  /** The read before, since ffmpeg gives one frame after the other. */
  #before: Promise<unknown> = Promise.resolve();
  width = 0;
  height = 0;
  bits = 8;

  private constructor(
    readonly place: FilmPlace,
    readonly filter: string,
    readonly output: readonly string[],
    readonly raw?: { readonly width: number; readonly height: number },
  ) {}

  static async open(place: FilmPlace, filter: string, output: readonly string[], raw?: FfmpegFilm["raw"]) {
    const film = new FfmpegFilm(place, filter, output, raw);
    try {
      // A film's size is known even if its first frame is damaged.
      await film.#seek(0, MOST_FRAMES, false);
      if (place.hashed) film.close();
    } catch (error) {
      film.close();
      throw error;
    }
    return film;
  }

  read(index: number): Promise<Uint8Array> {
    const reading = this.#before.then(() => this.#read(index));
    this.#before = reading.catch(() => {});
    return reading;
  }

  async #read(index: number): Promise<Uint8Array> {
    if (!this.#run || index < this.#next || index > this.#next + NEAR || index >= this.#end) await this.#seek(index);
    for (let alone = !this.place.hashed; ; ) {
      const bytes = await this.#frame();
      // Where ffmpeg ends at a picture that differs from its hash, it takes sound ones along that it has decoded before.
      if (!bytes && !alone) {
        alone = true;
        await this.#seek(index, 1);
      } else if (!bytes) {
        const why = (await this.#run?.complaint()) || "the film ends earlier than the episode";
        this.close();
        throw new SourceError(`${this.place.where}: frame ${index} cannot be decoded: ${why}; download it again`);
      } else if (this.#next++ === index) return bytes;
    }
  }

  close(): void {
    this.#run?.end();
    this.#run = undefined;
  }

  async #frame(): Promise<Uint8Array | undefined> {
    const run = this.#run as Run;
    if (this.raw) return run.take(4 * this.width * this.height);
    return (await run.line()) === undefined ? undefined : run.take(this.width * this.height * (this.bits > 8 ? 2 : 1));
  }

  /** Starts ffmpeg half a frame before the wanted one. Frames are counted anew there, so that none is left out or doubled. */
  async #seek(index: number, most = MOST_FRAMES, checks = this.place.hashed): Promise<void> {
    this.close();
    const { path, where, fps, fromS, maxPixels } = this.place;
    // One thread, so that a frame that is read alone does not end with those behind it.
    const checking = ["-err_detect", "crccheck+explode", "-xerror", ...(most === 1 ? ["-threads", "1"] : [])];
    const from = Math.max(0, fromS + (index - 0.5) / fps);
    const demuxer = DEMUXERS[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""];
    if (!demuxer) throw new SourceError(`${where}: a film's name ends in .mp4 or .mkv; convert it`);
    this.#run = new Run([
      ...["-nostdin", "-v", "error", "-timelimit", String(MOST_CPU_S), "-protocol_whitelist", "file,pipe"],
      ...(checks ? checking : []),
      ...["-max_pixels", String(maxPixels), "-f", demuxer, "-ss", from.toFixed(6), "-i", `file:${path}`],
      ...["-map", "0:v:0", "-frames:v", String(most), "-vf", `${this.filter},setpts=N/(${fps}*TB)`],
      ...["-r", String(fps), ...this.output, "pipe:1"],
    ]);
    [this.#next, this.#end] = [index, index + most];
    if (this.raw) [this.width, this.height] = [this.raw.width, this.raw.height];
    else await this.#readHeader(await this.#run.line(), where);
  }

  /** The head of a stream in YUV4MPEG2: "YUV4MPEG2 W640 H480 F30:1 Cmono12". */
  async #readHeader(head: string | undefined, where: string): Promise<void> {
    const [, width, height] = /^YUV4MPEG2 W(\d{1,5}) H(\d{1,5})\b/.exec(head ?? "") ?? [];
    const bits = / Cmono(\d*)/.exec(head ?? "")?.[1];
    if (width === undefined || bits === undefined) {
      const why = (await this.#run?.complaint()) || "it has no frame";
      throw new SourceError(`${where}: ffmpeg cannot decode this film: ${why}; download it again`);
    }
    [this.width, this.height, this.bits] = [Number(width), Number(height), Number(bits) || 8];
  }
}

/** The most characters of a line before frames, and of what ffmpeg complains about. */
const LONGEST_LINE = 1000;
const LONGEST_COMPLAINT = 300;
const MISSING =
  "ffmpeg, which decodes films of depth, is not installed, or not where PATH leads: install it (apt install ffmpeg, brew install ffmpeg, winget install ffmpeg)";

/** A process of ffmpeg whose output is read piece by piece; it waits while nobody reads. */
class Run {
  readonly #child;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #ended: Promise<unknown>;
  #rest: Uint8Array = new Uint8Array();
  #said = "";
  #missing: string | undefined;

  constructor(args: readonly string[]) {
    this.#child = spawn("ffmpeg", args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    this.#ended = new Promise((resolve) => {
      this.#child.on("close", resolve).on("error", (error: NodeJS.ErrnoException) => {
        this.#missing = error.code === "ENOENT" ? MISSING : `ffmpeg cannot be started: ${error.message}`;
        resolve(error);
      });
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(0, LONGEST_COMPLAINT);
    });
    this.#pieces = this.#child.stdout[Symbol.asyncIterator]();
    this.#child.unref();
    this.#hold(false);
  }

  /** A recording that nobody closes must not keep the process from ending: only a read does. */
  #hold(on: boolean): void {
    const stdout = this.#child.stdout as Socket;
    if (on) stdout.ref?.();
    else stdout.unref?.();
  }

  /** The messages of ffmpeg, once it has ended. */
  async complaint(): Promise<string> {
    this.end();
    await this.#ended;
    return this.#missing ?? this.#said.trim().replace(/\s+/g, " ");
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  async #more(): Promise<boolean> {
    this.#hold(true);
    const { done, value } = await this.#pieces.next().catch(() => ({ done: true, value: undefined }));
    this.#hold(false);
    if (done || !value) return false;
    noteRead(value.length);
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  /** The next line, without its end; `undefined` at the end of the output. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end >= 0) {
        const text = new TextDecoder("latin1").decode(this.#rest.subarray(0, end));
        this.#rest = this.#rest.subarray(end + 1);
        return text;
      }
      if (this.#rest.length > LONGEST_LINE || !(await this.#more())) return undefined;
    }
  }

  /** The next bytes, in memory of their own; `undefined` where the output ends before. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return undefined;
      const some = this.#rest.subarray(0, length - at);
      bytes.set(some, at);
      this.#rest = this.#rest.subarray(some.length);
      at += some.length;
    }
    return bytes;
  }
}
