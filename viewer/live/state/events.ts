import { BehaviorSubject, filter, Subject } from "rxjs";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame, RecordingInput, Source } from "../../../sources/index.ts";
import type { Origin } from "../show/shown.ts";
import type { MeasuredNoise } from "../source/noiseWorker.ts";

/** A frame of the source that plays, before the stages. */
export interface GivenFrame {
  readonly frame: DepthFrame;
  readonly source: Source;
  /** A scene begins with this frame ("first"), or frames begin or cease to have colour. */
  readonly seen: "first" | "recoloured" | "alike";
}

/** A frame on the screen. */
export interface ShownFrame {
  readonly frame: ProcessedFrame;
  /** Numbers that are measured on the frame get this origin. A late frame of the earlier source has none: nothing may be measured on it. */
  readonly origin: Origin | undefined;
  /** False where the frame before has only been drawn again. */
  readonly isNew: boolean;
}

/**
 * Events that concern more than one part of the page. Subscribers hear of an event synchronously, in the order in which they subscribed.
 * A frame makes two of them: `frame$` before it goes through the stages, then `shown$`; or `refused$`, if a stage refuses it. A frame that
 * is drawn again makes `shown$` alone.
 */
export class Events {
  /** A source was opened, from `input` if it is a recording's files. */
  readonly opened$ = new Subject<{ readonly source: Source; readonly input: RecordingInput | undefined }>();
  /** A frame is about to go through the stages. */
  readonly frame$ = new Subject<GivenFrame>();
  /** The first frame of each scene. */
  readonly scene$ = this.frame$.pipe(filter(({ seen }) => seen === "first"));
  /** A frame is shown, new or drawn again. */
  readonly shown$ = new Subject<ShownFrame>();
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
