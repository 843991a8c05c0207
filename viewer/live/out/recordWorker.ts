import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { McapRecorder } from "../../../write/recorder.ts";
import { zstdChunks } from "../../../write/zstd.ts";
import { PageSink } from "./pageSink.ts";

export type RecordOrder =
  | { readonly begin: FileSystemFileHandle | "memory"; readonly settings: unknown }
  | { readonly add: PlainFrame }
  | { readonly end: true };

/** The state of the recording after each order. */
export interface RecordingState {
  readonly frames: number;
  readonly bytes: number;
  readonly error?: string;
  /** The recording has ended, by an order or because memory is full (`full`). Without a file on disk, `file` has the recording. */
  readonly ended?: { readonly file: Blob | undefined; readonly full: boolean };
}

let work: { readonly sink: PageSink; readonly recorder: McapRecorder; readonly settings: unknown } | undefined;

async function begin(place: FileSystemFileHandle | "memory", settings: unknown): Promise<void> {
  const compressChunk = await zstdChunks();
  const sink = new PageSink(place === "memory" ? undefined : await place.createWritable());
  // Colour is compressed together with depth: encoding each image as PNG would take longer than a frame lasts.
  work = { sink, recorder: new McapRecorder(sink, { compressChunk }), settings };
}

async function add(frame: PlainFrame): Promise<RecordingState["ended"]> {
  if (!work) return undefined;
  const { recorder, sink, settings } = work;
  const first = recorder.frames === 0;
  await recorder.frame(frameOf(frame));
  if (first) await recorder.settings(settings);
  return sink.full ? end(true) : undefined;
}

async function end(full: boolean): Promise<RecordingState["ended"]> {
  if (!work) return undefined;
  const { recorder, sink } = work;
  await recorder.end();
  return { file: await sink.end(), full };
}

async function follow(order: RecordOrder): Promise<RecordingState["ended"]> {
  if ("begin" in order) await begin(order.begin, order.settings);
  else if ("add" in order) return add(order.add);
  else return end(false);
  return undefined;
}

let before: Promise<unknown> = Promise.resolve();
let over = false;

self.addEventListener("message", ({ data }: MessageEvent<RecordOrder>) => {
  before = before.then(async () => {
    if (over) return;
    let [ended, error]: [RecordingState["ended"], string | undefined] = [undefined, undefined];
    try {
      ended = await follow(data);
    } catch (caught) {
      error = caught instanceof Error ? caught.message : String(caught);
    }
    over = ended !== undefined || error !== undefined;
    const counts = { frames: work?.recorder.frames ?? 0, bytes: Number(work?.sink.position() ?? 0n) };
    const state: RecordingState = { ...counts, ...(ended && { ended }), ...(error !== undefined && { error }) };
    self.postMessage(state);
    // The worker ends itself: some versions of Chromium crash if the page terminates it at this moment.
    if (over) self.close();
  });
});
