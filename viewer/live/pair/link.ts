import type { FromHalf, Side, Span, Time, ToHalf } from "./messages.ts";

interface Half {
  readonly name: string;
  /** `null` for a live source. */
  readonly span: Span | null;
  time: Omit<Time, "kind" | "acts">;
}

const SIDES = [0, 1] as const;

/**
 * Links two halves: what the user does in one of them, the other one follows. One half leads, the one that the user touched last; while it
 * waits at its end, the other one does. Only the leader's time goes on to the other half, so nothing comes back as an echo.
 */
export class Link {
  readonly #halves: [Half | undefined, Half | undefined] = [undefined, undefined];
  #on = true;
  #offsetMs = 0;
  #leader: Side = 0;
  readonly #acts: [number, number] = [0, 0];
  #place: readonly number[] | undefined;

  constructor(
    readonly send: (to: Side, message: ToHalf) => void,
    /** `says` may be another now. */
    readonly onChange: () => void,
  ) {}

  get on(): boolean {
    return this.#on;
  }

  set on(on: boolean) {
    this.#on = on;
    this.#apply();
  }

  /** The offset from the right recording's clock to the left one's, ms. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  set offsetMs(ms: number) {
    this.#offsetMs = ms;
    this.#apply();
  }

  /** Says in words which of view, cursor and time are linked, and why time is not. */
  get says(): string {
    if (!this.#on) return "Not linked: each side plays and is turned for itself.";
    const [left, right] = this.#halves;
    if (!left || !right) return `Waiting for a recording on the ${left ? "right" : "left"}.`;
    const live = [left, right].find(({ span }) => !span);
    if (live) return `View and cursor are linked. Time is not: ${live.name} is live.`;
    if (this.#isSameDay) return "View, cursor and time are linked, by the date and time of the frames.";
    return "View, cursor and time are linked, by the time since the first frame.";
  }

  /** The names of the sources that play. */
  get names(): readonly string[] {
    return this.#halves.flatMap((half) => half?.name ?? []);
  }

  /** Takes a message of a half. */
  take(from: Side, message: FromHalf): void {
    if (message.kind === "opened") this.#open(from, message);
    else if (message.kind === "time") this.#keepTime(from, message);
    else if (message.kind === "ended") this.#end(from, message);
    else if (message.kind === "view") {
      this.#place = message.place;
      if (this.#on) this.send(other(from), message);
    } else if (message.kind === "cursor" && this.#on) this.send(other(from), message);
  }

  #open(side: Side, { name, span }: { readonly name: string; readonly span: Span | null }): void {
    const isNew = this.#halves[side]?.name !== name;
    const time = { ms: span?.from ?? 0, playing: true, rate: 1 };
    this.#halves[side] = { name, span, time: (!isNew && this.#halves[side]?.time) || time };
    // The source that was there before plays on, and the new source follows it.
    if (isNew) this.#leader = this.#halves[other(side)]?.span ? other(side) : side;
    this.#apply();
  }

  #keepTime(from: Side, { ms, playing, rate, acts }: Time): void {
    const half = this.#halves[from];
    if (!half) return;
    half.time = { ms, playing, rate };
    if (acts > this.#acts[from]) this.#leader = from;
    this.#acts[from] = acts;
    if (this.#leader === from) this.#hand(other(from));
  }

  #end(from: Side, { ms, rate, loop }: Extract<FromHalf, { kind: "ended" }>): void {
    const [half, beside] = [this.#halves[from], this.#halves[other(from)]];
    if (!half || !this.#isTimed) return;
    half.time = { ms, playing: false, rate };
    if (beside?.time.playing) this.#leader = other(from);
    // The other recording may have a part to play that begins after this one's end.
    else if (this.#startOf(other(from)) > ms + this.#baseOf(from)) this.#playFrom(other(from), rate);
    else if (loop) this.#playFrom(this.#startOf(0) <= this.#startOf(1) ? 0 : 1, rate);
  }

  /** Both play from the time at which one side begins; that side leads. */
  #playFrom(side: Side, rate: number): void {
    this.#leader = side;
    for (const to of SIDES) this.#tell(to, { ms: this.#startOf(side) - this.#baseOf(to), playing: true, rate });
  }

  /** The common time at which a side begins. */
  #startOf(side: Side): number {
    return (this.#halves[side]?.span?.from ?? 0) + this.#baseOf(side);
  }

  #tell(to: Side, time: Half["time"]): void {
    this.send(to, { kind: "time", ...time, acts: this.#acts[to] });
  }

  /** Tells the half of that side the leader's time. */
  #hand(to: Side): void {
    const from = this.#halves[other(to)];
    if (!from || !this.#isTimed) return;
    const ms = from.time.ms + this.#baseOf(other(to)) - this.#baseOf(to);
    this.#tell(to, { ...from.time, ms });
  }

  /** Brings both halves together. */
  #apply(): void {
    for (const side of SIDES) {
      this.send(side, { kind: "clock", shared: this.#isTimed });
      if (this.#on && this.#place) this.send(side, { kind: "view", place: this.#place });
    }
    this.#hand(other(this.#leader));
    this.onChange();
  }

  /** Whether both play by one clock. */
  get #isTimed(): boolean {
    return this.#on && this.#halves.every((half) => half?.span);
  }

  /** Whether the clocks of both tell the date, and both were made at the same time, at least in part. */
  get #isSameDay(): boolean {
    const [a, b] = this.#halves.map((half) => half?.span?.dates);
    return a !== undefined && b !== undefined && a[0] <= b[1] && b[0] <= a[1];
  }

  /** The common time at the first frame of a side's recording, ms. */
  #baseOf(side: Side): number {
    if (side === 0) return 0;
    const [left, right] = this.#halves.map((half) => half?.span?.dates?.[0] ?? 0);
    return (this.#isSameDay ? right - left : 0) + this.#offsetMs;
  }
}

export const other = (side: Side): Side => (side === 0 ? 1 : 0);
