import { element, setText } from "../../../dom/controls.ts";
import { amount, type Fields, oneOf, onOff } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts } from "../pane.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { COLOR_MAPS, fillDepthTable, gradientOf } from "./colorMaps.ts";
import { ImageView } from "./imageView.ts";
import { RangeFields, spellRange } from "./rangeFields.ts";

const METRES = { min: 0.001, max: 1000 };

const fields = {
  depthShown: oneOf("Which depth", "filtered", { raw: "Raw", filtered: "Filtered", both: "Both" }, "In the depth pane"),
  depthMap: oneOf("Colour map", "turbo", COLOR_MAPS, "The colours of the depth image"),
  depthHeld: onOff("Freeze", false, "Each colour keeps the distance that it stands for now"),
  depthNearM: amount("Nearest colour, metres", 0.5, METRES, "The distance that the nearest colour stands for"),
  depthFarM: amount("Farthest colour, metres", 4, METRES, "The distance that the farthest colour stands for"),
} satisfies Fields;

export const depthPane = definePane({
  name: "depth",
  label: "Depth image",
  summary: "Raw or filtered depth as colours",
  place: "beside",
  order: 10,
  key: "g",
  fields,
  needs: ({ depthShown }) => (depthShown === "raw" ? "source" : "depth"),
  create: (parts) => new DepthImages(parts),
});

/** Ends of a range that differ by less than this share get no new colours: nobody could see a difference. */
const SAME = 0.004;

/** Depth as images in colours, raw or filtered or both beside each other, with a scale of the colours. */
class DepthImages implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly pictures: readonly ImageView[];
  readonly #raw: ImageView;
  readonly #filtered: ImageView;
  readonly #settings;
  readonly #pipeline;
  /** The colour of each depth, in the sensor's units and in those of filtered depth. */
  readonly #tables = { raw: new Uint32Array(65536), filtered: new Uint32Array(65536) };
  /** The colour map, range and units that the tables were filled for. */
  readonly #filledFor = { map: "", nearM: 0.5, farM: 4, raw: 0, filtered: 0 };
  readonly #bar = element("div", "bar");
  readonly #middle = element("span", "middle");
  readonly #ends: RangeFields;
  #snapshot: Snapshot | undefined;

  constructor({ settings, control, pointing, pipeline }: PaneParts<typeof fields>) {
    this.#settings = settings;
    this.#pipeline = pipeline;
    this.#raw = new ImageView("Raw depth", pointing);
    this.#filtered = new ImageView("Filtered depth", pointing);
    this.pictures = [this.#raw, this.#filtered];
    const map = control("depthMap", { list: true });
    // "Freeze" keeps the range that the scale shows.
    const along = (on: boolean) => (on ? rangeOf(this.#filledFor.nearM, this.#filledFor.farM) : {});
    const held = control("depthHeld", { along });
    this.#ends = new RangeFields((nearM, farM) => settings.update({ ...rangeOf(nearM, farM), depthHeld: true }));
    const scale = element("div", "scale", {}, this.#ends.near, element("div", "track", {}, this.#bar, this.#middle));
    scale.append(this.#ends.far);
    const foot = element("footer", "", {}, map, scale, held);
    this.content = [element("div", "images", {}, this.#raw.element, this.#filtered.element), foot];
    this.tools = [control("depthShown")];
    settings.changes$.subscribe(() => this.#refresh());
    this.#refresh();
  }

  #refresh(): void {
    const { depthShown, depthMap } = this.#settings.now;
    this.#raw.element.hidden = depthShown === "filtered";
    this.#filtered.element.hidden = depthShown === "raw";
    this.#bar.style.background = gradientOf(depthMap);
    if (this.#snapshot) this.show(this.#snapshot);
  }

  newSource(): void {
    this.#snapshot = undefined;
  }

  /** Paints a frame. Without the filtered depth that the settings ask for, the images stay as they are. */
  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const { frame, filtered, shape } = snapshot;
    const { depthShown } = this.#settings.now;
    if (depthShown !== "raw" && !filtered) return;
    this.#fillTables(snapshot);
    const tables = this.#tables;
    if (depthShown !== "filtered") this.#paint(this.#raw, frame.depth.data, frame.intrinsics, tables.raw);
    if (depthShown !== "raw" && filtered) this.#paint(this.#filtered, filtered.data, shape.intrinsics, tables.filtered);
  }

  /** The range of the 3D picture's colours, so that both show the same. */
  get #sceneRange(): readonly [nearM: number, farM: number] {
    const { nearM = 0.5, farM = 4 } = this.#pipeline.stages.find(({ kind }) => kind === "paint")?.parameters ?? {};
    return [Number(nearM), Number(farM)];
  }

  #fillTables({ frame: { metresPerUnit: raw }, shape: { metresPerUnit: filtered } }: Snapshot): void {
    const { depthHeld, depthNearM, depthFarM, depthMap: map } = this.#settings.now;
    const [nearM, farM] = depthHeld ? [depthNearM, depthFarM] : this.#sceneRange;
    const before = this.#filledFor;
    const near = (a: number, b: number) => Math.abs(Math.log(a / b)) < SAME;
    const kept = before.map === map && before.raw === raw && before.filtered === filtered;
    if (kept && near(before.nearM, nearM) && near(before.farM, farM)) return;
    Object.assign(before, { map, nearM, farM, raw, filtered });
    fillDepthTable(this.#tables.raw, map, nearM / raw, farM / raw);
    fillDepthTable(this.#tables.filtered, map, nearM / filtered, farM / filtered);
    this.#ends.show(nearM, farM);
    setText(this.#middle, `${spellRange(Math.sqrt(nearM * farM))} mm`);
  }

  #paint(view: ImageView, depth: Uint16Array, shown: Snapshot["shape"]["intrinsics"], table: Uint32Array): void {
    const source = this.#snapshot?.frame.intrinsics;
    if (!source) return;
    view.size(shown, source);
    const { words } = view;
    for (let i = 0; i < depth.length; i++) words[i] = table[depth[i]];
    view.flush();
  }
}

const rangeOf = (nearM: number, farM: number) => ({
  depthNearM: Number(nearM.toPrecision(3)),
  depthFarM: Number(farM.toPrecision(3)),
});
