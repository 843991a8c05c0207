import { type FileHandle, open } from "node:fs/promises";
import { checkArgument, checkOptions, flag, oneOf, type Rule } from "../core/check.ts";
import type { ColorArray } from "../core/frame.ts";
import { SourceError } from "../core/source.ts";
import { depthV2Encoder } from "./depthV2.ts";
import { naming } from "./disk.ts";
import type { DepthEncoder } from "./frameMessages.ts";
import { lossesRule } from "./losses.ts";
import { colorPng, depthPng } from "./png.ts";
import { McapRecorder, type RecorderOptions, type Sink } from "./recorder.ts";
import { zstdChunks } from "./zstd.ts";

/**
 * The lossless codecs for depth in an MCAP file. Measured on 640×480 frames of six sensors (two busy cores, one 2.4 GHz thread; compression
 * ratio and ms per frame):
 *
 *                     Kinect v1     Kinect v2     RealSense     Xtion         SR305
 *     rvl             3.9×, 16      2.9×,  9      3.1×, 10      3.0×,  6     11.3×, 2
 *     png             6.6×, 19      2.4×, 43      3.5×, 37      6.5×, 21      7.0×, 26
 *     zstd (level 1)  6.7×, 10      2.3×, 12      3.4×,  7      8.3×,  5      7.1×, 4
 *
 * v2, Depthloom's own (docs/depthV2.md), is smaller than all of them; other programs do not read it yet. zstd files are as small as png in
 * a third of the time. zstd compresses chunks, not images, so the messages are plain images, which every program shows; few show
 * compressedDepth (Lichtblick since 2026, and only with png).
 */
export const depthCodecs = ["zstd", "png", "rvl", "v2"] as const;
/** The name of a way to pack depth in MCAP. */
export type DepthCodec = (typeof depthCodecs)[number];

/** The options of `McapRecorder` for a codec, in Node. */
async function recorderOptions(codec: DepthCodec = "zstd"): Promise<RecorderOptions> {
  const color = (image: ColorArray) => colorPng(image, { alpha: true });
  if (codec === "zstd") return { compressChunk: await zstdChunks(), color };
  if (codec === "v2") return { color, packDepth: await depthV2Encoder() };
  return { color, depth: await depthEncoder(codec) };
}

/** Loads one of the two codecs of image_transport's compressedDepth. */
export async function depthEncoder(codec: DepthEncoder["name"]): Promise<DepthEncoder> {
  if (codec === "png") return { name: "png", encode: depthPng };
  const { encodeRvl } = await import("../sources/decode/rvl.ts");
  return { name: "rvl", encode: async ({ data }) => encodeRvl(data) };
}

/** Writes a file from start to end. */
class FileSink implements Sink {
  #position = 0n;

  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  /** Opens the file for writing. Throws where it exists, unless it may be replaced. */
  static async create(path: string, replace = false): Promise<FileSink> {
    return new FileSink(path, await open(path, replace ? "w" : "wx"));
  }

  async write(buffer: Uint8Array): Promise<void> {
    // A chunk comes in one call. If the process dies, the file ends with a complete chunk or with a piece of one.
    for (let done = 0; done < buffer.length; ) {
      const { bytesWritten } = await naming(this.path, this.handle.write(buffer, done, buffer.length - done));
      done += bytesWritten;
    }
    this.#position += BigInt(buffer.length);
  }

  position(): bigint {
    return this.#position;
  }

  close(): Promise<void> {
    return naming(this.path, this.handle.close());
  }
}

/** A recorder and the file that it writes to. */
export interface McapFile {
  /** Takes frames. */
  readonly recorder: McapRecorder;
  /** Ends the recording and closes the file. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const pathRule: Rule = { expects: "a file's path", holds: (value) => typeof value === "string" && value !== "" };

/**
 * Makes a recorder that writes to a file. Throws a `SourceError` where the file exists, unless `replace` is set, and the
 * system's own error where no file can be made.
 *
 * @example
 * const { recorder, close } = await recordMcap("clean.mcap", { codec: "zstd" });
 * await recorder.frame(await recording.read(0));
 * await close();
 */
export async function recordMcap(
  path: string,
  asked: { readonly codec?: DepthCodec; readonly replace?: boolean } & Pick<RecorderOptions, "losses" | "points"> = {},
): Promise<McapFile> {
  checkArgument("recordMcap", "the path", pathRule, path);
  checkOptions("recordMcap", asked, { codec: oneOf(...depthCodecs), replace: flag, losses: lossesRule, points: flag });
  const { codec, replace, ...more } = asked;
  const options = await recorderOptions(codec);
  const sink = await FileSink.create(path, replace).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST")
      throw new SourceError(`${path}: this file is there; give another name, or replace: true`);
    throw error;
  });
  const recorder = new McapRecorder(sink, { ...options, ...more });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= recorder.end().finally(() => sink.close());
    return closing;
  };
  return { recorder, close, [Symbol.asyncDispose]: close };
}
