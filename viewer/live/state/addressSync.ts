import type { LiveSource, Source } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";
import { CAMERA } from "../source/sourceLink.ts";
import type { Focus } from "../view/camera/focus.ts";
import { numbersOf, placeFrom } from "../view/camera/motion.ts";
import type { Rig } from "../view/camera/rig.ts";
import { addressWith, valuesIn } from "./address.ts";
import { changedValues, resetAll, resetFilters, type SettingsTarget, type Viewpoint } from "./changedValues.ts";
import type { Messages } from "./messages.ts";
import { applySettingsFile, settingsFileOf } from "./settingsFile.ts";
import { setValues } from "./setValues.ts";

const EVERY_MS = 400;
/** A message lists at most this many complaints. */
const MOST_SHOWN = 4;
/** How long the page says that a settings file was taken, ms. */
const TAKEN_MS = 4000;

export interface AddressSyncParts extends SettingsTarget {
  readonly rig: Rig;
  readonly focus: Focus;
  readonly player: Player;
  readonly messages: Messages;
  /** Whether the filters are off because raw depth is shown alone, which is no setting; `compare` begins and ends that. */
  readonly comparing: () => boolean;
  readonly compare: (on: boolean) => void;
  /** Stages may have been set, moved or switched. */
  readonly onChange: () => void;
  /** Whether the page's address alone opens this source, so that no name need follow behind the #. */
  readonly isAsked: (source: Source) => boolean;
  /** Opens a source by its name, or asks the user to. */
  readonly reopen: (recording: string, topic: string | undefined) => void;
  /** Plays another depth topic of the source. */
  readonly topic: (name: string) => void;
}

/** Keeps the viewer's settings in the page's address, and applies addresses and settings files. */
export class AddressSync {
  /** The viewpoint to go to once the recording is open. */
  #pending: Viewpoint = {};
  /** The distance in focus that the scene began with. */
  #initialFocusM = 0;
  #written = location.hash.replace(/^#/, "");
  /** The address's part behind the # when that part was last written or applied. */
  #present = location.hash;
  #nextMs = 0;

  constructor(readonly parts: AddressSyncParts) {
    addEventListener("hashchange", () => this.#addressChanged());
    addEventListener("pagehide", () => this.write());
  }

  /**
   * Applies the page's address. Returns whether the address names a source behind its #, which is then opened or asked for. Also returns
   * the depth topic of the source, which the address does not name there.
   */
  restore(): { readonly isNamed: boolean; readonly topic: string | undefined } {
    const viewpoint = this.#apply(location.hash);
    this.#pending = viewpoint;
    const { recording, topic } = viewpoint;
    if (recording !== undefined) this.parts.reopen(recording, topic);
    return { isNamed: recording !== undefined, topic };
  }

  /** Call this at the first frame of a recording that has a measurement: goes to the viewpoint of the address. */
  onFirstFrame(): void {
    const { focus } = this.parts;
    this.#initialFocusM = focus.distanceM;
    const pending = this.#pending;
    this.#pending = {};
    if (pending.recording !== undefined && pending.recording !== this.#nameOf()) return;
    // The present frame must go through the stages first.
    queueMicrotask(() => this.#goTo(pending));
  }

  /** Whether a link has been followed that names this source, so that the settings of places in it are the link's. */
  names(source: Source): boolean {
    return "recording" in this.#pending && this.#pending.recording === this.#nameOf(source);
  }

  /** Call this regularly. */
  update(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + EVERY_MS;
    this.write();
  }

  /** Writes the settings into the address. */
  write(): void {
    if (this.parts.comparing()) return;
    // The user has just entered an address; its event is still on its way.
    if (location.hash !== this.#present) {
      this.#addressChanged();
      return;
    }
    // While the recording is not open yet, the address keeps the viewpoint that it came with.
    const isPending = Object.keys(this.#pending).length > 0;
    const address = addressWith(changedValues(this.parts, isPending ? this.#pending : this.viewpoint));
    if (address === this.#written) return;
    this.#written = address;
    history.replaceState(history.state, "", `${location.pathname}${location.search}${address && `#${address}`}`);
    this.#present = location.hash;
  }

  /** The present viewpoint. */
  get viewpoint(): Viewpoint {
    const { rig, focus, player } = this.parts;
    const camera = numbersOf(rig.place).map((x) => Number(x.toFixed(5)));
    const { source, recording } = player;
    const own = Math.abs(focus.distanceM / this.#initialFocusM - 1) < 1e-4;
    return {
      recording: this.#nameOf(),
      topic: topicOf(source),
      frame: recording && !player.playing ? player.index : undefined,
      camera: source && rig.moved ? camera : undefined,
      focusM: source && !own ? Number(focus.distanceM.toPrecision(5)) : undefined,
    };
  }

  /** The page's address, up to date. */
  get link(): string {
    this.parts.compare(false);
    this.write();
    return location.href;
  }

  settingsFile() {
    this.parts.compare(false);
    return settingsFileOf(this.parts, this.viewpoint);
  }

  /** Applies a settings file. */
  import(name: string, text: string): void {
    let viewpoint: Viewpoint = {};
    this.#setAll(() => {
      const { complaints, refused, ...taken } = applySettingsFile(text, this.parts);
      viewpoint = taken.viewpoint;
      this.#showComplaints(name, complaints, refused && "Nothing was changed.");
      // Often nothing else on the page shows that the file was read.
      if (complaints.length === 0) this.parts.messages.show("notice", "settings", `${name} is set.`, TAKEN_MS);
    });
    this.#goTo(viewpoint);
  }

  resetFilters(): void {
    this.#setAll(() => resetFilters(this.parts));
  }

  /** Runs `work` in one batch, so that a value that is reset and set again counts as unchanged. */
  #setAll(work: () => void): void {
    // What is on while raw depth is shown would replace what is set now.
    this.parts.compare(false);
    this.parts.settings.batch(work);
    this.parts.onChange();
  }

  /** Applies an address that the user has entered, or a link within the page. */
  #addressChanged(): void {
    this.#present = location.hash;
    if (location.hash.replace(/^#/, "") === this.#written) return;
    this.#written = location.hash.replace(/^#/, "");
    const viewpoint = this.#apply(location.hash);
    const { rig, player } = this.parts;
    const { topics, topic: now }: Partial<LiveSource> = player.source ?? {};
    const { recording = this.#nameOf(), topic = topics?.[0]?.name } = viewpoint;
    const other = topic === now ? undefined : topics?.find(({ name }) => name === topic);
    if (recording !== undefined && recording !== this.#nameOf()) {
      this.#pending = viewpoint;
      this.parts.reopen(recording, viewpoint.topic);
    } else if (other) {
      this.#pending = { ...viewpoint, recording };
      this.parts.topic(other.name);
    } else {
      // Where a link names no place and no focus, these are as the scene began.
      rig.reset();
      this.#goTo({ focusM: this.#initialFocusM || undefined, ...viewpoint });
    }
  }

  #apply(address: string): Viewpoint {
    const { fields, complaints } = valuesIn(address);
    let viewpoint: Viewpoint = {};
    this.#setAll(() => {
      resetAll(this.parts);
      const taken = setValues(fields, this.parts);
      viewpoint = taken.viewpoint;
      this.#showComplaints("This link", [...complaints, ...taken.complaints]);
    });
    return viewpoint;
  }

  /**
   * The name by which the source can be opened again: a recording's name or a stream's address; `undefined` for the source that the page's
   * address alone opens.
   */
  #nameOf(source: Source | null = this.parts.player.source): string | undefined {
    if (!source || this.parts.isAsked(source)) return undefined;
    return source.format === "camera" ? CAMERA + source.name : source.name;
  }

  #goTo({ camera, focusM, frame }: Viewpoint): void {
    const { rig, focus, player } = this.parts;
    if (camera) rig.goTo(placeFrom(camera), true);
    if (focusM !== undefined) focus.set(focusM);
    if (frame !== undefined) player.seek(frame);
  }

  #showComplaints(who: string, complaints: readonly string[], rest = "The rest was taken."): void {
    this.parts.messages.clear("settings");
    if (complaints.length === 0) return;
    const more = complaints.length > MOST_SHOWN ? `; and ${complaints.length - MOST_SHOWN} more` : "";
    const text = `${who}: ${complaints.slice(0, MOST_SHOWN).join("; ")}${more}. ${rest}`;
    this.parts.messages.show("error", "settings", text);
  }
}

const topicOf = (source: (Source & Pick<LiveSource, "topics" | "topic">) | null): string | undefined =>
  source?.topics && source.topic !== source.topics[0]?.name ? source.topic : undefined;
