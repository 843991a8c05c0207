import { spawn } from "node:child_process";
import { once } from "node:events";
import type { DepthFrame } from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import { quantizer, USUAL } from "../../sources/recorded/formats/lerobot/quantum.ts";
import type { Losses } from "../losses.ts";
import { bytesOf } from "../ros2.ts";

const MISSING =
  "ffmpeg, which encodes films of depth, is not installed, or not where PATH leads: install it, or keep depth as images";
const LONGEST_COMPLAINT = 300;

/** Without loss; and each picture has its MD5, by which a reader knows a damaged one. */
const CODING = "lossless=1:hash=1";

/** The entry of a film of depth in `meta/info.json`. */
export const filmInfo = ({ depth: { shape } }: DepthFrame, fps: number) => ({
  "video.height": shape[0],
  "video.width": shape[1],
  "video.channels": 1,
  "video.fps": fps,
  has_audio: false,
  "video.codec": "hevc",
  "video.pix_fmt": "gray12le",
  "video.g": 2,
  "video.extra_options": { "x265-params": CODING },
  ...{
    "video.depth_min": USUAL.near,
    "video.depth_max": USUAL.far,
    "video.shift": USUAL.shift,
    "video.use_log": USUAL.isLog,
  },
});

/** Counts how far coded depth is from what was measured. */
export class CodingLoss {
  #count = 0;
  #sumM = 0;
  #mostM = 0;
  #beyond = 0;
  #codes: { readonly metresPerUnit: number; readonly codes: Uint16Array; readonly offM: Float64Array } | undefined;

  /** The frame's codes of 12 bits. */
  codesOf({ depth, metresPerUnit }: DepthFrame): Uint16Array {
    if (this.#codes?.metresPerUnit !== metresPerUnit) {
      const { code, metres } = quantizer(USUAL);
      const codes = Uint16Array.from({ length: 65536 }, (_, unit) => code(unit * metresPerUnit));
      const offM = Float64Array.from(codes, (one, unit) => Math.abs(metres(one) - unit * metresPerUnit));
      this.#codes = { metresPerUnit, codes, offM };
    }
    const { codes, offM } = this.#codes;
    return depth.data.map((unit) => {
      if (unit > 0 && unit * metresPerUnit > USUAL.far) this.#beyond++;
      else if (unit > 0) {
        this.#count++;
        this.#sumM += offM[unit];
        this.#mostM = Math.max(this.#mostM, offM[unit]);
      }
      return codes[unit];
    });
  }

  tell(losses: Losses | undefined): void {
    const mm = (metres: number) => `${(1000 * metres).toFixed(2)} mm`;
    const beyond = this.#beyond > 0 ? `; ${this.#beyond} pixels beyond ${USUAL.far} m became ${USUAL.far} m` : "";
    if (this.#count + this.#beyond > 0)
      losses?.note(
        `depth in a film of 12 bits is off by ${mm(this.#sumM / Math.max(1, this.#count))} on average and by ${mm(this.#mostM)} at most${beyond}`,
      );
  }
}

/** A film of codes of 12 bits, which ffmpeg encodes without loss as HEVC. */
export class FilmFile {
  readonly #child;
  readonly #ended: Promise<void>;
  #said = "";

  constructor(
    readonly path: string,
    width: number,
    height: number,
    fps: number,
  ) {
    const raw = [
      "-f",
      "rawvideo",
      "-pix_fmt",
      "gray12le",
      "-s",
      `${width}x${height}`,
      "-r",
      String(fps),
      "-i",
      "pipe:0",
    ];
    const coded = ["-c:v", "libx265", "-pix_fmt", "gray12le", "-g", "2", "-x265-params", `${CODING}:log-level=error`];
    const args = ["-nostdin", "-v", "error", "-y", ...raw, ...coded, "-tag:v", "hvc1", `file:${path}`];
    this.#child = spawn("ffmpeg", args, { stdio: ["pipe", "ignore", "pipe"], windowsHide: true });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(0, LONGEST_COMPLAINT);
    });
    // The end of the process tells why.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new SourceError(`${path}: ${why}`));
      this.#child.on("error", ({ message }: NodeJS.ErrnoException) => fail(/ENOENT/.test(message) ? MISSING : message));
      this.#child.on("close", (status) =>
        status === 0 ? resolve() : fail(`ffmpeg cannot encode it: ${this.#said.trim().replace(/\s+/g, " ")}`),
      );
    });
    this.#ended.catch(() => {});
  }

  async add(codes: Uint16Array): Promise<void> {
    if (this.#child.stdin.write(bytesOf(codes))) return;
    // A pipe that breaks says less than the process at its end.
    await Promise.race([once(this.#child.stdin, "drain").catch(() => this.#ended), this.#ended]);
  }

  close(): Promise<void> {
    this.#child.stdin.end();
    return this.#ended;
  }

  abandon(): void {
    this.#child.kill("SIGKILL");
  }
}
