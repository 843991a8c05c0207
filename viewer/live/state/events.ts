import { BehaviorSubject, Subject } from "rxjs";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame, RecordingInput, Source } from "../../../sources/index.ts";
import type { Origin } from "../show/shown.ts";
import type { MeasuredNoise } from "../source/noiseWorker.ts";

/** A frame on the screen, and the origin for numbers that are measured on it. */
export interface FrameOnScreen {
  readonly frame: ProcessedFrame;
  readonly origin: Origin;
}

/**
 * Events that concern more than one part of the page. Subscribers hear of an event synchronously, in the order in which they subscribed.
 */
export class Events {
  /** A source was opened, from `input` if it is a recording's files. */
  readonly opened$ = new Subject<{ readonly source: Source; readonly input: RecordingInput | undefined }>();
  /** A frame is about to go through the stages. */
  readonly frame$ = new Subject<DepthFrame>();
  /** A scene begins (`first`), or its frames begin or cease to have colour. */
  readonly scene$ = new Subject<{ readonly frame: DepthFrame; readonly source: Source; readonly first: boolean }>();
  /** A new frame of the source that plays has gone through the stages. */
  readonly processed$ = new Subject<FrameOnScreen>();
  /** A frame is shown, new or drawn again. */
  readonly shown$ = new Subject<ProcessedFrame>();
  /** A frame of the source that plays is shown, new or drawn again. Numbers are measured on these frames only. */
  readonly onScreen$ = new Subject<FrameOnScreen>();
  /** The noise of the sensor that plays; `null` if it cannot be measured, `undefined` while it is not known yet. */
  readonly noise$ = new BehaviorSubject<MeasuredNoise | undefined>(undefined);
  /** A stage refused a frame, because its settings ask for something impossible. */
  readonly refused$ = new Subject<void>();
  /** Stages were set, moved or switched, so the picture is out of date. */
  readonly stages$ = new Subject<void>();
  /** Something beside this page has moved the picture's camera. */
  readonly moved$ = new Subject<void>();
  /** The picture's size has to be computed again. */
  readonly refit$ = new Subject<void>();
  /** Somebody dropped a settings file on the page. */
  readonly settingsFile$ = new Subject<File>();
  /** The screen asks for a picture; emits the time, ms. */
  readonly tick$ = new Subject<number>();
}
