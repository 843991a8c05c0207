import { Subject } from "rxjs";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthFrame, RecordingInput, Source } from "../../sources/index.ts";

/** What happens that more than one part of the page goes by. Whoever came first hears it first, and at once. */
export class Events {
  /** A source was opened, from `input` where it is a recording's files. */
  readonly opened$ = new Subject<{ readonly source: Source; readonly input: RecordingInput | undefined }>();
  /** A frame is about to go through the stages. */
  readonly frame$ = new Subject<DepthFrame>();
  /** It is the first of a scene, or the first with colour, or without. */
  readonly scene$ = new Subject<{ readonly frame: DepthFrame; readonly source: Source; readonly first: boolean }>();
  /** A frame has gone through. */
  readonly processed$ = new Subject<ProcessedFrame>();
  /** So it has, or the last one again. */
  readonly taken$ = new Subject<ProcessedFrame>();
  /** A stage takes no frame as it is set. */
  readonly refused$ = new Subject<void>();
  /** Stages were set, moved or switched: the picture is out of date. */
  readonly stages$ = new Subject<void>();
  /** Something was set of how one looks. */
  readonly settings$ = new Subject<void>();
  /** The picture's size is to be found anew. */
  readonly refit$ = new Subject<void>();
  /** All of it may have been: a link, a settings file, everything reset. */
  readonly anew$ = new Subject<void>();
  /** One was dropped on the page. */
  readonly settingsFile$ = new Subject<File>();
  /** The screen wants a picture. */
  readonly tick$ = new Subject<number>();
}
