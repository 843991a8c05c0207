import { element, setText } from "../../../dom/element.ts";
import { fieldControl } from "../../panel/fieldControl.ts";
import type { ViewSettings } from "../../state/settings.ts";
import type { Settings } from "../../state/store.ts";
import type { Pointing } from "../pane.ts";
import { type BoxOptions, PaneBox } from "../paneBox.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { paneFields } from "../settings.ts";
import { fillDepthTable, gradientOf } from "./colorMaps.ts";
import { DepthRange } from "./depthRange.ts";
import { ImageView } from "./imageView.ts";
import { RangeFields } from "./rangeFields.ts";

export type DepthSettings = Pick<ViewSettings, "depthShown" | "depthMap" | "depthHeld" | "depthNearM" | "depthFarM">;

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
  #snapshot: Snapshot | undefined;

  constructor(
    readonly settings: Settings<DepthSettings>,
    pointing: Pointing,
    options: Omit<BoxOptions, "title">,
  ) {
    this.raw = new ImageView("Raw depth", pointing);
    this.filtered = new ImageView("Filtered depth", pointing);
    const map = fieldControl(paneFields, "depthMap", settings, { list: true });
    const shown = fieldControl(paneFields, "depthShown", settings);
    // The range that is held is the one that was seen last.
    const along = (on: boolean) => (on ? rangeOf(this.#made.nearM, this.#made.farM) : {});
    const held = fieldControl(paneFields, "depthHeld", settings, { along });
    this.#ends = new RangeFields((nearM, farM) => settings.update({ ...rangeOf(nearM, farM), depthHeld: true }));
    const scale = element("div", "scale", {}, this.#ends.near, element("div", "track", {}, this.#bar, this.#middle));
    scale.append(this.#ends.far);
    const foot = element("footer", "", {}, map, scale, held);
    const images = element("div", "images", {}, this.raw.element, this.filtered.element);
    this.box = new PaneBox({ title: "Depth image", ...options }, images, foot);
    this.box.tools(shown);
    this.refresh();
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { depthShown, depthMap } = this.settings.now;
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
    const { depthShown } = this.settings.now;
    if (depthShown !== "raw" && !filtered) return;
    this.#prepare(snapshot);
    if (depthShown !== "filtered") this.#paint(this.raw, frame.depth.data, frame.intrinsics);
    if (depthShown !== "raw" && filtered) this.#paint(this.filtered, filtered.data, shape.intrinsics);
  }

  #prepare({ frame: { depth, metresPerUnit } }: Snapshot): void {
    const { depthHeld, depthNearM, depthFarM, depthMap: map } = this.settings.now;
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

const rangeOf = (nearM: number, farM: number) => ({
  depthNearM: Number(nearM.toPrecision(3)),
  depthFarM: Number(farM.toPrecision(3)),
});
