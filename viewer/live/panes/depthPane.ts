import { segmented, select, toggle } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import type { ViewSettings } from "../settings.ts";
import { COLOR_MAPS, fillDepthTable, gradientOf } from "./colorMaps.ts";
import { DepthRange } from "./depthRange.ts";
import { ImageView } from "./imageView.ts";
import type { Pointing } from "./pane.ts";
import { type BoxOptions, PaneBox } from "./paneBox.ts";
import { RangeFields } from "./rangeFields.ts";
import type { Snapshot } from "./snapshot.ts";

export type DepthSettings = Pick<ViewSettings, "depthShown" | "depthMap" | "depthHeld" | "depthNearM" | "depthFarM">;

const SHOWN = { raw: "Raw", filtered: "Filtered", both: "Both" } as const;
/** A range that has moved less than this shows the same. */
const SAME = 0.004;

/** Depth as an image in colours, raw or filtered or both beside each other, with what the colours mean. */
export class DepthPane {
  readonly box: PaneBox;
  readonly raw: ImageView;
  readonly filtered: ImageView;
  readonly #range = new DepthRange();
  readonly #table = new Uint32Array(65536);
  /** What the table is made for. */
  readonly #made = { map: "", nearM: 0.5, farM: 4, metresPerUnit: 0 };
  readonly #bar = element("div", "bar");
  readonly #middle = element("span", "middle");
  readonly #ends: RangeFields;
  readonly #controls;
  #snapshot: Snapshot | undefined;

  constructor(
    readonly settings: DepthSettings,
    pointing: Pointing,
    readonly onChange: () => void,
    options: Omit<BoxOptions, "title">,
  ) {
    this.raw = new ImageView("Raw depth", pointing);
    this.filtered = new ImageView("Filtered depth", pointing);
    const change = <K extends keyof DepthSettings>(key: K, value: DepthSettings[K]) => {
      settings[key] = value;
      this.refresh();
      onChange();
    };
    const map = select("Colour map", COLOR_MAPS, settings.depthMap, (chosen) => change("depthMap", chosen));
    const shown = segmented("Which depth", SHOWN, settings.depthShown, (chosen) => change("depthShown", chosen));
    const hold = (on: boolean) => {
      // What is held is what was seen last.
      if (on) this.#keep(this.#made.nearM, this.#made.farM);
      change("depthHeld", on);
    };
    const held = toggle("Hold", settings.depthHeld, hold, "Keep the colours' range");
    this.#controls = { map, shown, held };
    this.#ends = new RangeFields((nearM, farM) => {
      this.#keep(nearM, farM);
      change("depthHeld", true);
    });
    const scale = element("div", "scale", {}, this.#ends.near, element("div", "track", {}, this.#bar, this.#middle));
    scale.append(this.#ends.far);
    const foot = element("footer", "", {}, map.element, scale, held.element);
    const images = element("div", "images", {}, this.raw.element, this.filtered.element);
    this.box = new PaneBox({ title: "Depth image", ...options }, images, foot);
    this.box.tools(shown.element);
    this.refresh();
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { depthShown, depthMap, depthHeld } = this.settings;
    this.#controls.map.set(depthMap);
    this.#controls.shown.set(depthShown);
    this.#controls.held.set(depthHeld);
    this.raw.element.hidden = depthShown === "filtered";
    this.filtered.element.hidden = depthShown === "raw";
    this.#bar.style.background = gradientOf(depthMap);
    if (this.#snapshot) this.show(this.#snapshot);
  }

  /** The next frame is of another source. */
  reset(): void {
    this.#range.reset();
    this.#snapshot = undefined;
  }

  /** Paints a frame; where what it shows of it has not been read yet, what there was stays. */
  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const { frame, filtered, shape } = snapshot;
    const { depthShown } = this.settings;
    if (depthShown !== "raw" && !filtered) return;
    this.#prepare(snapshot);
    if (depthShown !== "filtered") this.#paint(this.raw, frame.depth.data, frame.intrinsics);
    if (depthShown !== "raw" && filtered) this.#paint(this.filtered, filtered.data, shape.intrinsics);
  }

  #keep(nearM: number, farM: number): void {
    this.settings.depthNearM = Number(nearM.toPrecision(3));
    this.settings.depthFarM = Number(farM.toPrecision(3));
  }

  #prepare({ frame: { depth, metresPerUnit } }: Snapshot): void {
    const { depthHeld, depthNearM, depthFarM, depthMap: map } = this.settings;
    if (!depthHeld) this.#range.observe(depth.data, metresPerUnit, performance.now());
    const [nearM, farM] = depthHeld ? [depthNearM, depthFarM] : [this.#range.nearM, this.#range.farM];
    const made = this.#made;
    const near = (a: number, b: number) => Math.abs(Math.log(a / b)) < SAME;
    const kept = made.map === map && made.metresPerUnit === metresPerUnit;
    if (kept && near(made.nearM, nearM) && near(made.farM, farM)) return;
    Object.assign(made, { map, nearM, farM, metresPerUnit });
    fillDepthTable(this.#table, map, nearM / metresPerUnit, farM / metresPerUnit);
    this.#ends.show(nearM, farM);
    setText(this.#middle, `${Number(Math.sqrt(nearM * farM).toPrecision(3))} m`);
  }

  #paint(view: ImageView, depth: Uint16Array, shown: Snapshot["shape"]["intrinsics"]): void {
    const source = this.#snapshot?.frame.intrinsics;
    if (!source) return;
    view.size(shown, source);
    const { words } = view;
    const table = this.#table;
    for (let i = 0; i < depth.length; i++) words[i] = table[depth[i]];
    view.flush();
  }
}
