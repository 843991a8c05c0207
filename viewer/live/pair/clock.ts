import { frameAt, secondsAt, stampAt } from "../control/timeScale.ts";
import type { Player } from "../source/player.ts";
import type { FromHalf, Time } from "./messages.ts";

/** While frames play, the time is told at most once in this time, ms. */
const TELL_MS = 100;
/** A playing half jumps to the leader's time if it is off by APART_MS, ms of the page, and at most once in `JUMP_MS`. */
const APART_MS = 300;
const JUMP_MS = 1000;

/** Keeps a half's player at the time of the other half, and tells what the user does with it. */
export class SharedClock {
  /** The state of the player at the last look; `undefined` until a source plays. */
  #was: (Pick<Player, "playing" | "index"> & { readonly rate: number }) | undefined;
  #following = false;
  #acts = 0;
  #toldMs = Number.NEGATIVE_INFINITY;
  #jumpedMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly player: Player,
    readonly tell: (message: FromHalf) => void,
    readonly nowMs = () => performance.now(),
  ) {
    player.changed$.subscribe(() => this.#changed());
    player.ended$.subscribe(() => {
      const { rate, loop } = player.playback;
      if (!this.#was || this.#following) return;
      this.#was = this.#now;
      this.tell({ kind: "ended", ms: this.#msOf(player.index), rate, loop });
    });
  }

  /** Another part of the source plays. */
  again(): void {
    if (this.#was) this.opened();
  }

  /** A source is there from now on. */
  opened(): void {
    const { recording, source, part } = this.player;
    if (!source) return;
    this.#was = this.#now;
    const dates = recording && ([stampAt(recording, 0), stampAt(recording, recording.length - 1)] as const);
    const span = recording && {
      from: this.#msOf(part[0]),
      dates: dates?.[0] && dates[1] && ([dates[0].getTime(), dates[1].getTime()] as const),
    };
    this.tell({ kind: "opened", name: source.name, span });
  }

  /** A source is about to be opened. Until it plays, the other half follows nothing. */
  closed(): void {
    this.#was = undefined;
  }

  /** Call this when a frame is shown. */
  shown(): void {
    const nowMs = this.nowMs();
    if (!this.#was || !this.player.playing || nowMs < this.#toldMs + TELL_MS) return;
    this.#toldMs = nowMs;
    this.#tellTime();
  }

  /** Shows the time that the other half shows. Where this recording has no such time, it waits at its first or last frame. */
  follow({ ms, playing, rate, acts }: Time): void {
    const { player } = this;
    const { recording } = player;
    if (!recording || !this.#was || acts < this.#acts) return;
    const { playing: didPlay } = player;
    this.#following = true;
    if (player.playback.rate !== rate) player.set({ rate });
    const [first, last] = player.part;
    const at = Math.min(last, Math.max(first, Math.round(frameAt(recording, ms / 1000))));
    const isWithin = ms >= this.#msOf(first) && ms < this.#msOf(last);
    if (!playing || !isWithin) {
      if (player.playing || player.index !== at) player.seek(at);
    } else if (!player.playing || this.#isApart(ms, rate)) {
      this.#jumpedMs = this.nowMs();
      player.seek(at);
      player.play();
    }
    this.#following = false;
    this.#was = this.#now;
    if (player.playing !== didPlay) this.#tellTime();
  }

  #isApart(ms: number, rate: number): boolean {
    const apart = Math.abs(this.#msOf(this.player.index) - ms) > APART_MS * Math.max(1, rate);
    return apart && this.nowMs() > this.#jumpedMs + JUMP_MS;
  }

  #changed(): void {
    const was = this.#was;
    if (!was || this.#following || !this.player.recording) return;
    const { playing, index, rate } = this.#now;
    this.#was = { playing, index, rate };
    if (playing === was.playing && rate === was.rate && (playing || index === was.index)) return;
    this.#acts++;
    this.#tellTime();
  }

  #tellTime(): void {
    const { playing, index, rate } = this.#now;
    this.tell({ kind: "time", ms: this.#msOf(index), playing, rate, acts: this.#acts });
  }

  get #now() {
    const { playing, index, playback } = this.player;
    return { playing, index, rate: playback.rate };
  }

  #msOf(index: number): number {
    const { recording } = this.player;
    return recording ? 1000 * secondsAt(recording, index) : 0;
  }
}
