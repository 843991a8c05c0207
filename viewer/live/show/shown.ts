import { Subject } from "rxjs";
import type { DepthFrame, Source } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { Player } from "../source/player.ts";

/** What a number was measured on: a frame of a recording or a camera, and how the filters were set. */
export interface Origin {
  readonly source: Source;
  readonly frame: DepthFrame;
  /** Counts the ways in which the filters were set: frames with the same number went through the same filters. */
  readonly settings: number;
}

/**
 * How long a number may be shown.
 * "recording": until another source is opened.
 * "moment": until the filters are set otherwise. While frames play, for some seconds after its own frame, so that numbers that take a
 * moment to measure can be read at all; while nothing plays, for as long as its own frame is on the screen.
 * "frame": for as long as the frame of that index is on the screen, whatever the filters make of it.
 */
export type Scope = "recording" | "moment" | "frame";

/** While frames play a number outlives its own frame by so many others, or for so long, ms, whichever is longer. */
const [LATER_FRAMES, LATER_MS] = [4, 3000];

/** What `Shown` needs to know of the stages. */
interface Filters {
  readonly stages: readonly Pick<Stage, "name" | "role" | "changes">[];
  isEnabled(name: string): boolean;
  isOnCpu(name: string): boolean;
}

/** An origin, and when its frame left the screen. */
interface Picture extends Origin {
  leftMs: number;
  /** Pictures shown until then. */
  left: number;
}

/**
 * Which frame is on the screen, of which source, filtered how: it decides which numbers may be shown beside it.
 *
 * Whoever measures a frame is handed its origin and gives that back with the answer, to a `Gauge`. A gauge takes no answer of another
 * origin than those that may be shown now, and takes a number away as soon as its origin goes. So a late answer sets nothing, and no
 * other part of the page has to ask whether a number still holds.
 */
export class Shown {
  #source: Source | null = null;
  #picture: Picture | undefined;
  #pictures = 0;
  #settings = 0;
  /** How the filters were set when last looked: for each its name, its changes, and where it runs. */
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

  /** The origin of what is on the screen; none while that is still a frame of the source before. */
  get origin(): Origin | undefined {
    return this.#picture;
  }

  /** Another source plays from now on: all numbers are those of the source before. */
  open(source: Source): void {
    this.#source = source;
    this.#picture = undefined;
    this.#changed$.next();
  }

  /** How the filters are set now; to be asked before a frame goes through them. Allocates only where they are set otherwise than before. */
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
   * A frame is on the screen from now on, which the filters were set for as `settings` said. Returns its origin, or nothing where it
   * is a late frame of the source before: nobody is to measure that one.
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

  /** A place for one number, or a few of one origin. `show` is called with each that may be shown, and with nothing when it goes. */
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

/** Shows a number as long as its origin may be shown, and no longer. `Shown.gauge` makes it. */
export class Gauge<T> {
  #held: { readonly origin: Origin; readonly value: T } | undefined;

  constructor(
    readonly holds: (origin: Origin) => boolean,
    changed$: Subject<void>,
    readonly show: (value: T | undefined) => void,
  ) {
    changed$.subscribe(() => this.#check());
  }

  /** What is shown. */
  get value(): T | undefined {
    return this.#held?.value;
  }

  /** What that was measured on. */
  get origin(): Origin | undefined {
    return this.#held?.origin;
  }

  /** Shows what was measured on a frame, unless that may no longer be shown. */
  put(origin: Origin, value: T): void {
    if (!this.holds(origin)) return;
    this.#held = { origin, value };
    this.show(value);
  }

  /** Takes the number away. */
  clear(): void {
    if (!this.#held) return;
    this.#held = undefined;
    this.show(undefined);
  }

  #check(): void {
    if (this.#held && !this.holds(this.#held.origin)) this.clear();
  }
}
