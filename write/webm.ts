import { ID } from "../sources/recorded/formats/mkv/ids.ts";
import { concat, element, number, text } from "./ebml.ts";
import type { Sink } from "./recorder.ts";

/** The facts about the video that a player has to know. */
export interface WebmOptions {
  readonly codec: "V_VP9" | "V_VP8";
  readonly width: number;
  readonly height: number;
}

/** A number in eight bytes, so that the head can be written again with others. */
function eight(write: (view: DataView<ArrayBuffer>) => void): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(8));
  write(view);
  return new Uint8Array(view.buffer);
}
const whole = (value: number) => eight((view) => view.setBigUint64(0, BigInt(value)));

/** The destination of a film. */
interface FilmSink extends Sink {
  /** Writes other bytes in place of those that were written first; they are as many. */
  rewrite(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes a WebM file of one video track, whose times are whole ms. A cluster begins at each key frame; at the end its head is written
 * again, with the length of the film and the place of the list of key frames, by which players jump.
 *
 *     head | segment: places, info, track, cluster: block, block …; cluster …; key frames
 */
export class Webm {
  /** The bytes before the segment's first element, from which places are counted. */
  #origin = 0;
  #cluster: { readonly ms: number; readonly blocks: Uint8Array[] } | undefined;
  readonly #cues: Uint8Array[] = [];
  #lastMs = 0;
  #stepMs = 33;

  constructor(
    readonly sink: FilmSink,
    readonly options: WebmOptions,
  ) {}

  async begin(): Promise<void> {
    await this.sink.write(this.#head(0, 0, 0));
  }

  /** Adds an encoded frame; the first one is a key frame. Times rise. */
  async add(data: Uint8Array, ms: number, isKey: boolean): Promise<void> {
    if (ms > this.#lastMs) this.#stepMs = ms - this.#lastMs;
    this.#lastMs = ms;
    if (isKey) {
      await this.#endCluster();
      this.#cluster = { ms, blocks: [] };
    }
    const { ms: start = 0, blocks } = this.#cluster ?? {};
    // The track's number, the time since the cluster's, and whether it is a key frame.
    const [track, late] = [0x81, ms - start];
    blocks?.push(element(ID.SimpleBlock, Uint8Array.of(track, late >> 8, late, isKey ? 0x80 : 0), data));
  }

  /** Ends the film, but not its destination. */
  async end(): Promise<void> {
    await this.#endCluster();
    const cues = Number(this.sink.position());
    await this.sink.write(element(ID.Cues, ...this.#cues));
    const size = Number(this.sink.position()) - this.#origin;
    await this.sink.rewrite(this.#head(size, cues - this.#origin, this.#lastMs + this.#stepMs));
  }

  async #endCluster(): Promise<void> {
    const cluster = this.#cluster;
    if (!cluster) return;
    const place = number(Number(this.sink.position()) - this.#origin);
    const position = element(0xb7, element(0xf7, number(1)), element(0xf1, place));
    this.#cues.push(element(0xbb, element(0xb3, number(cluster.ms)), position));
    await this.sink.write(element(ID.Cluster, element(ID.ClusterTimestamp, number(cluster.ms)), ...cluster.blocks));
  }

  /** The head always has the same length. */
  #head(size: number, cues: number, lengthMs: number): Uint8Array<ArrayBuffer> {
    const { codec, width, height } = this.options;
    const [type, version] = [0x4282, 0x4287];
    const head = element(ID.EBML, element(type, text("webm")), element(version, number(4)), element(0x4285, number(2)));
    const segment = eight((view) => view.setBigUint64(0, (1n << 56n) | BigInt(size)));
    const start = concat(head, number(ID.Segment), segment);
    this.#origin = start.length;
    const seek = element(ID.Seek, element(ID.SeekID, number(ID.Cues)), element(ID.SeekPosition, whole(cues)));
    const [duration, muxer, writer] = [0x4489, 0x4d80, 0x5741];
    const [typeOfTrack, video, lacing] = [0x83, number(1), 0x9c];
    return concat(
      start,
      element(ID.SeekHead, seek),
      element(
        ID.Info,
        element(ID.TimestampScale, number(1_000_000)),
        element(
          duration,
          eight((view) => view.setFloat64(0, lengthMs)),
        ),
        ...[muxer, writer].map((id) => element(id, text("Depthloom"))),
      ),
      element(
        ID.Tracks,
        element(
          ID.TrackEntry,
          ...[element(ID.TrackNumber, number(1)), element(ID.TrackUID, number(1)), element(typeOfTrack, video)],
          ...[element(lacing, number(0)), element(ID.CodecID, text(codec))],
          element(ID.Video, element(ID.PixelWidth, number(width)), element(ID.PixelHeight, number(height))),
        ),
      ),
    );
  }
}
