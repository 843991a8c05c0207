import { Subject } from "rxjs";
import type { DepthFrame, Source } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { Player } from "../source/player.ts";

/** The origin of a measured number: a frame of a recording or a camera, processed with certain settings of the filters. */
export interface Origin {
  readonly source: Source;
  readonly frame: DepthFrame;
  /** The version of the filters' settings: frames of the same version went through the same filters. */
  readonly settings: number;
}

/**
 * How long a number may be shown. "recording": until another source is opened. "moment": until the filters' settings change; while frames
 * play, also some seconds after its own frame, so that people can read numbers that take a moment to measure; while nothing plays, only as
 * long as its own frame is on the screen. "frame": as long as the frame of that index is on the screen, whatever the filters make of the
 * frame.
 */
export type Scope = "recording" | "moment" | "frame";

/** While frames play, a number stays for this many frames after its own, or for this time, ms, whichever is longer. */
const LATER_FRAMES = 4;
const LATER_MS = 3000;

/** The part of the pipeline that `Shown` uses. */
interface Filters {
  readonly stages: readonly Pick<Stage, "name" | "role" | "changes">[];
  isEnabled(name: string): boolean;
  isOnCpu(name: string): boolean;
}

/** An origin, and when its frame left the screen. */
interface Picture extends Origin {
  leftMs: number;
  /** The number of pictures shown until then. */
  left: number;
}

/**
 * Knows which frame of which source is on the screen, and with which settings of the filters, and decides from this which numbers may be
 * shown beside the picture.
 *
 * Code that measures a frame gets the frame's origin and passes it to a `Gauge` together with the result. A gauge refuses results whose
 * origin may no longer be shown, and removes its number as soon as the number's origin may no longer be shown. So a late result has no
 * effect, and no other part of the page needs to check whether a number is still valid.
 */
export class Shown {
  #source: Source | null = null;
  #picture: Picture | undefined;
  #pictures = 0;
  #settings = 0;
  /** The filters' settings at the last look: for each filter its name, its number of changes, and where it runs. */
  #lineup: (string | number | boolean)[] = [];
  readonly #changed$ = new Subject<void>();

  constructor(
    readonly player: Pick<Player, "playing" | "changed$" | "sourceOf">,
    readonly filters: Filters,
    readonly now: () => number = () => performance.now(),
  ) {
    let playing = false;
    player.changed$.subscribe(() => {
      if (playing === player.playing) return;
      playing = player.playing;
      this.#changed$.next();
    });
  }

  /** The origin of the frame on the screen; `undefined` while that frame still comes from the earlier source. */
  get origin(): Origin | undefined {
    return this.#picture;
  }

  /** Another source plays from now on. Numbers of the earlier source disappear. */
  open(source: Source): void {
    this.#source = source;
    this.#picture = undefined;
    this.#changed$.next();
  }

  /**
   * The version of the filters' present settings; ask before a frame goes through the filters. Allocates only after a change of the
   * settings.
   */
  settings(): number {
    const { stages } = this.filters;
    let at = 0;
    let same = true;
    for (const stage of stages) {
      if (stage.role !== "filter") continue;
      same &&= this.#lineup[at] === stage.name && this.#lineup[at + 1] === stage.changes;
      same &&= this.#lineup[at + 2] === this.filters.isEnabled(stage.name);
      same &&= this.#lineup[at + 3] === this.filters.isOnCpu(stage.name);
      at += 4;
    }
    if (same && at === this.#lineup.length) return this.#settings;
    this.#lineup = stages
      .filter(({ role }) => role === "filter")
      .flatMap(({ name, changes }) => [name, changes, this.filters.isEnabled(name), this.filters.isOnCpu(name)]);
    return ++this.#settings;
  }

  /**
   * A frame is on the screen from now on, processed with this version of the settings. Returns its origin; `undefined` for a late frame of
   * the earlier source, on which nothing may be measured.
   */
  show(frame: DepthFrame, settings: number): Origin | undefined {
    const source = this.player.sourceOf(frame);
    const before = this.#picture;
    if (!source || source !== this.#source) return undefined;
    if (before?.frame === frame && before.settings === settings) return before;
    this.#pictures++;
    if (before) Object.assign(before, { leftMs: this.now(), left: this.#pictures });
    this.#picture = { source, frame, settings, leftMs: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY };
    this.#changed$.next();
    return this.#picture;
  }

  /**
   * Makes a place for one number, or several of one origin. `show` gets each value that may be shown, and `undefined` when the value
   * disappears.
   */
  gauge<T>(scope: Scope, show: (value: T | undefined) => void): Gauge<T> {
    return new Gauge((origin) => this.#holds(origin, scope), this.#changed$, show);
  }

  #holds(origin: Origin, scope: Scope): boolean {
    if (origin.source !== this.#source) return false;
    if (scope === "recording") return true;
    const picture = this.#picture;
    if (!picture) return false;
    if (scope === "frame") return origin.frame.index === picture.frame.index;
    if (origin.settings !== picture.settings) return false;
    return origin.frame === picture.frame || (this.player.playing && this.#isRecent(origin));
  }

  #isRecent(origin: Origin): boolean {
    const { leftMs = 0, left = 0 }: Partial<Picture> = origin;
    return this.now() - leftMs <= LATER_MS || this.#pictures - left < LATER_FRAMES;
  }
}

/** Shows a number as long as its origin may be shown. `Shown.gauge` makes gauges. */
export class Gauge<T> {
  #held: { readonly origin: Origin; readonly value: T } | undefined;

  constructor(
    readonly holds: (origin: Origin) => boolean,
    changed$: Subject<void>,
    readonly show: (value: T | undefined) => void,
  ) {
    changed$.subscribe(() => this.#check());
  }

  /** The value that is shown. */
  get value(): T | undefined {
    return this.#held?.value;
  }

  /** The origin of the value that is shown. */
  get origin(): Origin | undefined {
    return this.#held?.origin;
  }

  /** Shows a value that was measured on `origin`, if that may still be shown. */
  put(origin: Origin, value: T): void {
    if (!this.holds(origin)) return;
    this.#held = { origin, value };
    this.show(value);
  }

  /** Removes the value. */
  clear(): void {
    if (!this.#held) return;
    this.#held = undefined;
    this.show(undefined);
  }

  #check(): void {
    if (this.#held && !this.holds(this.#held.origin)) this.clear();
  }
}
