import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { ParameterValue } from "../../../stages/core/parameters.ts";
import { fieldControl, type Looks } from "../panel/fieldControl.ts";
import type { Origin } from "../show/shown.ts";
import type { Fields, ValuesOf } from "../state/field.ts";
import type { ViewSettings, ViewStore } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";
import type { FrameNeed, Pane, PaneEntry, PaneParts } from "./pane.ts";
import { PaneBox } from "./paneBox.ts";
import type { PixelPicture } from "./pixelPicture.ts";
import type { Shape } from "./probe/marks.ts";
import type { Pixel } from "./probe/projection.ts";
import type { Snapshot } from "./probe/snapshot.ts";
import { openField, PANES, type PaneName, type PictureName } from "./registry.ts";

/** The panes' `draw` is called at most once in this time, ms. */
const DRAW_EVERY_MS = 120;
const NONE: readonly Shape[] = [];

/** A pane with its entry in the list and its box on the page. */
export interface MadePane {
  readonly entry: PaneEntry<PaneName>;
  readonly pane: Pane;
  readonly box: PaneBox;
  readonly isOpen: () => boolean;
  /** Whether the pane gets frames. */
  readonly isActive: () => boolean;
}

/** Makes all panes of the list and hands frames to those that are open. */
export class PaneSet {
  readonly panes: readonly MadePane[];
  /** The panes that were open at the last call of `tellOpened`. */
  readonly #wereOpen = new Set<MadePane>();
  #drawnMs = 0;

  constructor(
    readonly store: ViewStore,
    parts: Pick<
      PaneParts<never>,
      "pointing" | "snapshot" | "shown" | "pipeline" | "noise" | "numbers" | "foundFloor" | "player"
    >,
    onLarge: (name: PictureName) => void,
  ) {
    this.panes = PANES.map((entry) => {
      const { name, label, place, fields } = entry;
      const names = Object.keys(fields) as (keyof ViewSettings)[];
      const settings: Settings<ValuesOf<Fields>> = store.part(...names);
      const control = (field: string, looks?: Looks<ParameterValue>) => {
        const own: Settings<ValuesOf<Fields>> = store.control(field as keyof ViewSettings);
        return fieldControl<Fields, string>(fields, field, own, looks);
      };
      const isOpen = () => store.now[openField(name)];
      const open = () => {
        store.update({ [openField(name)]: true });
        box.element.scrollIntoView({ block: "nearest" });
      };
      const pane = entry.create({ ...parts, settings, control, isOpen, open });
      const title = { title: label, onClose: () => store.update({ [openField(name)]: false }) };
      const large = place === "beside" && { onLarge: () => onLarge(name as PictureName) };
      const box = new PaneBox({ ...title, ...large }, ...pane.content);
      box.tools(...(pane.tools ?? []));
      return { entry, pane, box, isOpen, isActive: () => isOpen() || pane.isUsed?.() === true };
    });
  }

  /** The pictures of all panes, those of closed ones too. */
  get pictures(): readonly PixelPicture[] {
    return this.panes.flatMap(({ pane }) => pane.pictures ?? []);
  }

  /** The pixel that an open pane plots, which every picture marks. */
  get plotted(): Pixel | undefined {
    const open = this.panes.filter(({ isOpen }) => isOpen());
    return open.flatMap(({ pane }) => pane.pixelTools ?? []).find(({ pixel }) => pixel)?.pixel;
  }

  /** The outlines that the open panes have pictures show. */
  get shapes(): readonly Shape[] {
    return this.panes.flatMap(({ pane, isOpen }) => (isOpen() && pane.shapes?.()) || NONE);
  }

  /** What the open panes need of each frame. */
  get need(): FrameNeed {
    let most: FrameNeed = "nothing";
    for (const made of this.panes) {
      const need = made.isActive() ? this.#needOf(made) : "nothing";
      if (need === "depth") return need;
      if (need === "source") most = need;
    }
    return most;
  }

  /** Whether an open pane wants infrared images. */
  get wantsInfrared(): boolean {
    return this.panes.some(({ entry, isOpen }) => entry.wantsInfrared && isOpen());
  }

  /** Tells the panes that were opened since the last call. Returns them, and those that were closed. */
  tellOpened(): { readonly opened: readonly MadePane[]; readonly closed: readonly MadePane[] } {
    const opened = this.panes.filter((made) => made.isOpen() && !this.#wereOpen.has(made));
    const closed = [...this.#wereOpen].filter(({ isOpen }) => !isOpen());
    for (const made of opened) this.#wereOpen.add(made);
    for (const made of closed) this.#wereOpen.delete(made);
    for (const { pane } of opened) pane.opened?.();
    return { opened, closed };
  }

  /** Shows a frame in those of `panes` that are active and need it. */
  show(snapshot: Snapshot, panes = this.panes): void {
    for (const made of panes) {
      if (!made.isActive()) continue;
      const need = this.#needOf(made);
      if (need !== "nothing" && (need === "source" || snapshot.filtered)) made.pane.show?.(snapshot);
    }
  }

  /** See `Pane.observe`. */
  observe(frame: ProcessedFrame, origin: Origin): void {
    for (const { pane, isActive } of this.panes) if (isActive()) pane.observe?.(frame, origin);
  }

  /** Has the open panes draw, if enough time has passed. */
  draw(nowMs: number): void {
    if (nowMs - this.#drawnMs < DRAW_EVERY_MS) return;
    this.#drawnMs = nowMs;
    for (const { pane, isOpen } of this.panes) if (isOpen()) pane.draw?.();
  }

  /** See `Pane.newSource`. */
  newSource(isMeant: boolean): void {
    for (const { pane } of this.panes) pane.newSource?.(isMeant);
  }

  #needOf({ entry }: MadePane): FrameNeed {
    return entry.needs(this.store.now);
  }
}
