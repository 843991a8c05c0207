import { Vector3 } from "three/webgpu";
import type { RecordedSource, Source } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";
import { FIRST, nameOfScene } from "../source/scenes.ts";
import { CAMERA } from "../source/sourceLink.ts";
import type { Focus } from "../view/camera/focus.ts";
import type { Rig } from "../view/camera/rig.ts";
import { addressWith, valuesIn } from "./address.ts";
import { changedValues, resetAll, type SettingsTarget, type Viewpoint } from "./changedValues.ts";
import type { Messages } from "./messages.ts";
import { applySettingsFile, settingsFileOf } from "./settingsFile.ts";
import { setValues } from "./setValues.ts";

const EVERY_MS = 400;
/** Complaints that are told one by one. */
const MOST_SHOWN = 4;

export interface AddressSyncParts extends SettingsTarget {
  readonly rig: Rig;
  readonly focus: Focus;
  readonly player: Player;
  readonly messages: Messages;
  /** Filters are off for as long as somebody looks: that is no setting. */
  readonly comparing: () => boolean;
  /** Stages may have been set, moved or switched. */
  readonly onChange: () => void;
  /** Opens another recording, or asks for it. */
  readonly reopen: (recording: string, topic: string | undefined) => void;
}

/** Keeps in the page's address what the viewer is set to, and sets it to what the address says. */
export class AddressSync {
  /** The viewpoint to go to once the recording is open. */
  #pending: Viewpoint = {};
  /** What a scene is in focus at by itself. */
  #initialFocusM = 0;
  #written = location.hash.replace(/^#/, "");
  #nextMs = 0;

  constructor(readonly parts: AddressSyncParts) {
    addEventListener("hashchange", () => this.#addressChanged());
    addEventListener("pagehide", () => this.write());
  }

  /** Sets all to what the address says. Says whether it is about a recording, which is then opened or asked for. */
  restore(): boolean {
    const where = this.#apply(location.hash);
    this.#pending = where;
    if (where.recording === undefined) return false;
    this.parts.reopen(where.recording, where.topic);
    return true;
  }

  /** To be called when the first frame of a recording with a measurement in it is looked at: goes on from where the address says. */
  onFirstFrame(): void {
    const { player, focus } = this.parts;
    this.#initialFocusM = focus.distanceM;
    const pending = this.#pending;
    this.#pending = {};
    if (pending.recording !== undefined && pending.recording !== nameOf(player.source)) return;
    // A frame is on its way just now.
    queueMicrotask(() => this.#goTo(pending));
  }

  /** To be called again and again. */
  update(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + EVERY_MS;
    this.write();
  }

  /** Puts what is set into the address. */
  write(): void {
    if (this.parts.comparing()) return;
    // As long as the recording is to come, the address knows more than the page.
    const isPending = Object.keys(this.#pending).length > 0;
    const address = addressWith(changedValues(this.parts, isPending ? this.#pending : this.where));
    if (address === this.#written) return;
    this.#written = address;
    history.replaceState(history.state, "", `${location.pathname}${location.search}${address && `#${address}`}`);
  }

  /** The present viewpoint. */
  get where(): Viewpoint {
    const { rig, focus, player } = this.parts;
    const { position, yaw, pitch, reachM } = rig.place;
    const camera = [...position, yaw, pitch, reachM].map((x) => Number(x.toFixed(5)));
    const { source, recording } = player;
    const own = Math.abs(focus.distanceM / this.#initialFocusM - 1) < 1e-4;
    return {
      recording: nameOf(source),
      topic: topicOf(source),
      frame: recording && !player.playing ? player.index : undefined,
      camera: source && rig.moved ? camera : undefined,
      focusM: source && !own ? Number(focus.distanceM.toPrecision(5)) : undefined,
    };
  }

  /** The page's address, as it is now. */
  get link(): string {
    this.write();
    return location.href;
  }

  settingsFile() {
    return settingsFileOf(this.parts, this.where);
  }

  /** Takes a settings file. */
  import(name: string, text: string): void {
    let where: Viewpoint = {};
    this.#setAll(() => {
      const taken = applySettingsFile(text, this.parts);
      where = taken.where;
      this.#showComplaints(name, taken.complaints);
    });
    this.#goTo(where);
  }

  resetAll(): void {
    this.#setAll(() => resetAll(this.parts));
  }

  /** Sets what `work` does, and tells of it only then: what is reset and set again at once was never otherwise. */
  #setAll(work: () => void): void {
    this.parts.settings.batch(work);
    this.parts.onChange();
  }

  /** Somebody put another address into this page. */
  #addressChanged(): void {
    if (location.hash.replace(/^#/, "") === this.#written) return;
    this.#written = location.hash.replace(/^#/, "");
    const where = this.#apply(location.hash);
    const { recording = nameOf(this.parts.player.source), topic } = where;
    if (recording === undefined || recording === nameOf(this.parts.player.source)) this.#goTo(where);
    else {
      this.#pending = where;
      this.parts.reopen(recording, topic);
    }
  }

  #apply(address: string): Viewpoint {
    const { fields, complaints } = valuesIn(address);
    let where: Viewpoint = {};
    this.#setAll(() => {
      resetAll(this.parts);
      const taken = setValues(fields, this.parts);
      where = taken.where;
      this.#showComplaints("This link", [...complaints, ...taken.complaints]);
    });
    return where;
  }

  #goTo({ camera, focusM, frame }: Viewpoint): void {
    const { rig, focus, player } = this.parts;
    if (camera) {
      const [x = 0, y = 0, z = 0, yaw = 0, pitch = 0, reachM = 1] = camera;
      rig.goTo({ position: new Vector3(x, y, z), yaw, pitch, reachM: Math.max(0.05, reachM) }, true);
    }
    if (focusM !== undefined) focus.set(focusM);
    if (frame !== undefined) player.seek(frame);
  }

  #showComplaints(who: string, complaints: readonly string[]): void {
    this.parts.messages.clear("settings");
    if (complaints.length === 0) return;
    const more = complaints.length > MOST_SHOWN ? `; and ${complaints.length - MOST_SHOWN} more` : "";
    const text = `${who}: ${complaints.slice(0, MOST_SHOWN).join("; ")}${more}. The rest was taken.`;
    this.parts.messages.show("error", "settings", text);
  }
}

/** What can be opened again by its name: a recording's, a stream's address, or that of a scene other than the one that comes first. */
function nameOf(source: Source | null): string | undefined {
  if (source?.format === "camera") return CAMERA + source.name;
  return source && source.name !== nameOfScene(FIRST) ? source.name : undefined;
}

const topicOf = (source: (Source & Partial<Pick<RecordedSource, "topics" | "topic">>) | null): string | undefined =>
  source?.topics && source.topic !== source.topics[0]?.name ? source.topic : undefined;
