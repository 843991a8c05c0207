import { SourceError } from "../../../../core/source.ts";
import { type ByteFile, MAX_NAMES } from "../../../files/files.ts";
import { Ebml, type Element, sizeOf, widthOf } from "./ebml.ts";
import { ID, TOP } from "./ids.ts";

export interface Track {
  readonly number: number;
  readonly uid: number;
  readonly name: string;
  readonly codec: string;
  /** The pixel format from Windows' bitmap header: "b16g", "MJPG" … */
  readonly fourcc: string;
  readonly width: number;
  readonly height: number;
  /** In ns, or 0. */
  readonly duration: number;
  readonly encoded: boolean;
}

/** The position of a block of a track, and its time. */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** In ms since the recording began. */
  readonly time: number;
}

export interface Contents {
  readonly tracks: readonly Track[];
  /** The blocks by the track's number. */
  readonly blocks: ReadonlyMap<number, readonly Block[]>;
  /** Tags by name: "K4A_DEPTH_MODE" … */
  readonly tags: ReadonlyMap<string, string>;
  readonly attachments: ReadonlyMap<string, Element>;
  readonly ebml: Ebml;
  /** The position before the file's end where the file stops making sense. */
  readonly brokenAt?: number;
}

/** 16-bit values of depth or infrared. */
export function words(bytes: Uint8Array, little: boolean): Uint16Array<ArrayBuffer> {
  const values = new Uint16Array(bytes.length >> 1);
  const [high, low] = little ? [1, 0] : [0, 1];
  for (let i = 0, at = 0; i < values.length; i++, at += 2) values[i] = (bytes[at + high] << 8) | bytes[at + low];
  return values;
}

/**
 * Lists what a Matroska file contains: its descriptions, and the position of each block. It reads only the header of each block. It does
 * not use cues: these recordings have one per second, and the frames between them have to be counted.
 */
export async function readContents(file: ByteFile): Promise<Contents> {
  const ebml = new Ebml(file);
  const head = await ebml.element(0, file.size);
  const segment = head && (await ebml.element(head.end, file.size));
  if (segment?.id !== ID.Segment)
    throw new SourceError(`${file.name}: this Matroska file is damaged: it has no segment; copy or download it again`);
  return new Walk(ebml, file).run(segment);
}

/** The elements of a track that are read. */
const OF_TRACK: ReadonlySet<number> = new Set([
  ...[ID.TrackNumber, ID.TrackUID, ID.TrackName, ID.CodecID],
  ...[ID.DefaultDuration, ID.ContentEncodings, ID.CodecPrivate, ID.Video],
]);

class Walk {
  readonly tracks: Track[] = [];
  readonly blocks = new Map<number, Block[]>();
  readonly tags = new Map<string, string>();
  readonly attachments = new Map<string, Element>();
  brokenAt: number | undefined;
  #scale = 1e6;
  #count = 0;

  constructor(
    readonly ebml: Ebml,
    readonly file: ByteFile,
  ) {}

  async run({ start, end }: Element): Promise<Contents> {
    for (let at = start; at < end; ) {
      const here = this.ebml.here(at, end);
      const part = here === "unread" ? await this.ebml.element(at, end) : here;
      if (!part || (part.open && part.id !== ID.Cluster)) {
        this.#broken(at);
        break;
      }
      at = part.id === ID.Cluster ? await this.#cluster(part) : part.end;
      if (part.id === ID.Info) await this.#info(part);
      else if (part.id === ID.Tracks) await this.#each(part, ID.TrackEntry, (entry) => this.#track(entry));
      else if (part.id === ID.Tags) await this.#each(part, ID.Tag, (tag) => this.#tag(tag));
      else if (part.id === ID.Attachments) await this.#each(part, ID.AttachedFile, (one) => this.#attachment(one));
    }
    const { tracks, blocks, tags, attachments, ebml, brokenAt } = this;
    return { tracks, blocks, tags, attachments, ebml, ...(brokenAt !== undefined && { brokenAt }) };
  }

  #broken(at: number): void {
    this.brokenAt ??= at;
  }

  #each(parent: Element, id: number, work: (child: Element) => Promise<void>): Promise<void> {
    return this.ebml.each(parent, (child) => (child.id === id ? work(child) : undefined));
  }

  async #info(info: Element): Promise<void> {
    await this.#each(info, ID.TimestampScale, async (element) => {
      const scale = await this.ebml.number(element);
      if (scale > 0) this.#scale = scale;
    });
  }

  async #track(entry: Element): Promise<void> {
    const { ebml } = this;
    const track = {
      number: 0,
      uid: 0,
      name: "",
      codec: "",
      fourcc: "",
      width: 0,
      height: 0,
      duration: 0,
      encoded: false,
    };
    const describe = async (child: Element) => {
      if (child.id === ID.TrackNumber) track.number = await ebml.number(child);
      else if (child.id === ID.TrackUID) track.uid = await ebml.number(child);
      else if (child.id === ID.TrackName) track.name = await ebml.text(child);
      else if (child.id === ID.CodecID) track.codec = await ebml.text(child);
      else if (child.id === ID.DefaultDuration) track.duration = await ebml.number(child);
      else if (child.id === ID.ContentEncodings) track.encoded = true;
      else if (child.id === ID.CodecPrivate) {
        // BITMAPINFOHEADER: the pixel format is its fifth word.
        const header = await ebml.bytes(child);
        track.fourcc = String.fromCharCode(...header.subarray(16, 20));
      } else if (child.id === ID.Video) await ebml.each(child, (part) => size(part));
    };
    const size = async (part: Element) => {
      if (part.id === ID.PixelWidth) track.width = await ebml.number(part);
      else if (part.id === ID.PixelHeight) track.height = await ebml.number(part);
    };
    await ebml.each(entry, (child) => (OF_TRACK.has(child.id) ? describe(child) : undefined));
    this.tracks.push(track);
  }

  async #tag(tag: Element): Promise<void> {
    await this.#each(tag, ID.SimpleTag, async (simple) => {
      let [name, value] = ["", ""];
      await this.#each(simple, ID.TagName, async (child) => {
        name = await this.ebml.text(child);
      });
      await this.#each(simple, ID.TagString, async (child) => {
        value = await this.ebml.text(child);
      });
      this.tags.set(name, value);
    });
  }

  async #attachment(attached: Element): Promise<void> {
    let name = "";
    let data: Element | undefined;
    await this.#each(attached, ID.FileName, async (child) => {
      name = await this.ebml.text(child);
    });
    await this.#each(attached, ID.FileData, async (child) => {
      data = child;
    });
    if (data) this.attachments.set(name, data);
  }

  /** Notes a cluster's blocks. Returns the position of the segment's next part. */
  async #cluster({ start, end, open }: Element): Promise<number> {
    let time = 0;
    for (let at = start; at < end; ) {
      const here = this.ebml.here(at, end);
      const child = here === "unread" ? await this.ebml.element(at, end) : here;
      if (open && child && TOP.has(child.id)) return at;
      if (!child || child.open) {
        this.#broken(at);
        return end;
      }
      if (child.id === ID.ClusterTimestamp) time = await this.ebml.number(child);
      else if (child.id === ID.SimpleBlock) await this.#block(child, time);
      else if (child.id === ID.BlockGroup) await this.#each(child, ID.Block, (block) => this.#block(block, time));
      at = child.end;
    }
    return end;
  }

  async #block({ start, end }: Element, clusterTime: number): Promise<void> {
    const bytes = await this.ebml.peek(start, Math.min(11, end - start));
    const width = widthOf(bytes[0] ?? 0);
    const head = bytes.subarray(width, width + 3);
    // A block begins with the track's number, two bytes of time, and flags. Lacing puts several frames in a block; video does not use it.
    if (head.length < 3 || (head[2] & 6) !== 0) return;
    if (++this.#count > MAX_NAMES)
      throw new SourceError(`${this.file.name}: more than ${MAX_NAMES} blocks; cut it into parts`);
    const number = sizeOf(bytes.subarray(0, width));
    const time = ((clusterTime + ((head[0] << 24) | (head[1] << 16)) / 65536) * this.#scale) / 1e6;
    const list = this.blocks.get(number);
    const block = { start: start + width + 3, end, time };
    if (list) list.push(block);
    else this.blocks.set(number, [block]);
  }
}
