import { BehaviorSubject, Subject } from "rxjs";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame, RecordingInput, Source } from "../../../sources/index.ts";
import type { Origin } from "../show/shown.ts";
import type { MeasuredNoise } from "../source/noiseWorker.ts";

/** A frame that is on the screen, and what numbers that are measured on it belong to. */
export interface FrameOnScreen {
  readonly frame: ProcessedFrame;
  readonly origin: Origin;
}

/** What happens that more than one part of the page goes by. Whoever came first hears it first, and at once. */
export class Events {
  /** A source was opened, from `input` where it is a recording's files. */
  readonly opened$ = new Subject<{ readonly source: Source; readonly input: RecordingInput | undefined }>();
  /** A frame is about to go through the stages. */
  readonly frame$ = new Subject<DepthFrame>();
  /** It is the first of a scene, or the first with colour, or without. */
  readonly scene$ = new Subject<{ readonly frame: DepthFrame; readonly source: Source; readonly first: boolean }>();
  /** A new frame of what plays has gone through the stages. */
  readonly processed$ = new Subject<FrameOnScreen>();
  /** A frame is shown: a new one, or the last one drawn again. */
  readonly shown$ = new Subject<ProcessedFrame>();
  /** The same, where it is a frame of what plays: numbers are measured on these alone. */
  readonly onScreen$ = new Subject<FrameOnScreen>();
  /** How noisy the sensor is that plays; `null` where that cannot be said, and nothing while it is not known. */
  readonly noise$ = new BehaviorSubject<MeasuredNoise | undefined>(undefined);
  /** A stage takes no frame as it is set. */
  readonly refused$ = new Subject<void>();
  /** Stages were set, moved or switched: the picture is out of date. */
  readonly stages$ = new Subject<void>();
  /** The picture's size is to be found anew. */
  readonly refit$ = new Subject<void>();
  /** One was dropped on the page. */
  readonly settingsFile$ = new Subject<File>();
  /** The screen wants a picture. */
  readonly tick$ = new Subject<number>();
}
