import { type Answer, BINS, type LiveRegion } from "../../../../measure/live.ts";
import { regionOf } from "../../../../measure/regionOf.ts";
import type { Region } from "../../../../measure/scene.ts";
import { button, element, setText } from "../../../dom/controls.ts";
import { downloadCsv } from "../../../overlay/download.ts";
import { type Fields, oneOf } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts, type PixelTool } from "../pane.ts";
import { type Numbers, offerOf } from "../plot/numbers.ts";
import { around, Plot } from "../plot/plot.ts";
import { type Shape, vertexAt } from "../probe/marks.ts";
import { Asker } from "./asker.ts";
import {
  fullText,
  isFull,
  listField,
  MOST_TAPE_MM,
  type NamedRegion,
  NONE,
  placesIn,
  REGIONS,
  textOf,
} from "./places.ts";
import { allOf, cellsOf, kindsOf, noteIn, renewIn, spotOf } from "./regionNumbers.ts";
import { RowTable } from "./rowTable.ts";

const fields = {
  regions: listField("Regions", REGIONS, "The parts of the image that are measured"),
  regionShown: oneOf(
    "Plot",
    "time",
    { time: "Time", histogram: "Histogram" },
    "The plot of the chosen region: its distance over time, or how its pixels’ depths are spread",
  ),
} satisfies Fields;

export const regionPane = definePane({
  name: "region",
  label: "Regions",
  summary: "Valid share, distance, plane and noise of parts of the image",
  place: "below",
  menu: "Measure",
  order: 32,
  key: "z",
  keySays: "Measure a region between two corners",
  fields,
  needs: ({ regions }) => (regions === NONE ? "nothing" : "source"),
  create: (parts) => new RegionPane(parts),
});

const HINT =
  "Press “Region”, then drag a rectangle over any picture, or click two corners; or “Lasso”, then drag around a patch";
const COLUMNS = [
  ...["region", "valid", "distance", "error to tape", "flatness (rms)", "turned left–right", "turned up–down"],
  ...["area", "noise", "true distance, mm", ""],
];

class RegionPane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly pixelTools: readonly PixelTool[];
  readonly table = new RowTable("Readings of the regions", COLUMNS);
  readonly #time = new Plot({ xUnit: "s", yUnit: "mm", xLeast: 2, range: around(0.1, 2), onCursor: () => {} });
  readonly #spread = new Plot({
    xUnit: "mm",
    yUnit: "%",
    xLeast: 0,
    xRange: () => [-this.#reachMm, this.#reachMm],
    range: (_, most) => [0, Math.max(1, (most ?? 1) * 1.08)],
    onCursor: () => {},
  });
  /** Says which region the plot shows, and which of its values. */
  readonly #key = element("p", "key");
  readonly #hint = element("p", "hint", {}, HINT);
  readonly #numbers: Numbers;
  readonly #asker: Asker;
  readonly #settings;
  #answer: Answer | undefined;
  /** The regions that the answer is about. */
  #asked: readonly NamedRegion[] = [];
  #chosen = "";
  #reachMm = 1;
  #shapes: readonly Shape[] = [];
  #camera: Parameters<typeof vertexAt>[0] | undefined;

  /** How many frames the recording has; `undefined` for a camera. */
  readonly #frames;

  constructor({ settings, control, shown, numbers, player }: PaneParts<typeof fields>) {
    this.#settings = settings;
    this.#frames = () => player.recording?.length;
    this.#numbers = numbers;
    this.#asker = new Asker(shown, (answer) => this.#take(answer), this.table.pending);
    this.#time.setLines([{ label: "distance", color: "--plot-filtered", width: 2 }]);
    this.#spread.setLines([{ label: "pixels", color: "--plot-raw", fill: true }]);
    const plots = element("div", "plots", {}, this.#key, this.#time.element, this.#spread.element);
    this.content = [element("div", "measured-beside", {}, this.table.element, plots, this.#hint)];
    const save = () => downloadCsv("regions.csv", numbers.frames.csv(this.#regions.flatMap(allOf)));
    const csv = button("CSV", save, "Saves the readings of all frames until now");
    const outlineTool: PixelTool = {
      label: "Lasso",
      summary: "The same within an outline that you draw",
      area: "outline",
      hint: "Drag around a patch of any picture",
      isAsking: () => false,
      shortcut: { key: "shift+z", says: "Measure within an outline" },
      choose: (...outline) => this.#add(regionOf(outline.map(({ u: x, v: y }) => ({ x, y })))),
    };
    const takeAll = () => {
      const { width, height } = shown.origin?.frame.intrinsics ?? {};
      if (width && height) this.#add({ x: 0, y: 0, width, height });
    };
    this.tools = [control("regionShown"), button("Whole image", takeAll, "Measures in the whole image"), csv];
    this.pixelTools = [
      {
        label: "Region",
        summary: "Valid share, distance, plane and noise in a rectangle",
        hint: "Drag a rectangle, or click two corners",
        area: "rectangle",
        isAsking: () => settings.now.regions === NONE,
        choose: (a, b = a) => {
          const [x, y] = [Math.min(a.u, b.u), Math.min(a.v, b.v)];
          this.#add({ x, y, width: Math.abs(a.u - b.u) + 1, height: Math.abs(a.v - b.v) + 1 });
        },
      },
      outlineTool,
    ];
    settings.changes$.subscribe(() => this.#refresh());
    this.#refresh();
  }

  get shapes() {
    return () => this.#shapes;
  }

  get #regions(): readonly NamedRegion[] {
    return placesIn(REGIONS, this.#settings.now.regions);
  }

  #set(regions: readonly NamedRegion[]): void {
    this.#settings.update({ regions: textOf(REGIONS, regions) });
  }

  #add(place: Region): void {
    if (isFull(this.#regions)) return;
    const names = new Set(this.#regions.map(({ name }) => name));
    let k = 1;
    while (names.has(`Region ${k}`)) k++;
    this.#chosen = `Region ${k}`;
    this.#set([...this.#regions, { ...place, name: this.#chosen, tapeMm: undefined }]);
  }

  #refresh(): void {
    const regions = this.#regions;
    const { regionShown } = this.#settings.now;
    if (!regions.some(({ name }) => name === this.#chosen)) this.#chosen = regions[0]?.name ?? "";
    this.#key.hidden = regions.length === 0;
    setText(this.#hint, isFull(regions) ? fullText("regions") : HINT);
    this.#hint.hidden = regions.length > 0 && !isFull(regions);
    this.table.element.hidden = regions.length === 0;
    this.#time.element.hidden = regions.length === 0 || regionShown !== "time";
    this.#spread.element.hidden = regions.length === 0 || regionShown !== "histogram";
    if (JSON.stringify(regions) !== JSON.stringify(this.#asked)) {
      renewIn(this.#numbers.frames, this.#asked, regions);
      this.#asked = regions;
      const offers = regions.flatMap(allOf).map((kind) => offerOf(kind));
      this.#numbers.offer("regions", offers);
      this.#answer = undefined;
      this.#asker.ask(regions.length > 0 ? { regions } : undefined);
    }
    this.#show();
  }

  /** The regions are measured while the pane is closed if a plot shows their numbers. */
  isUsed(): boolean {
    return this.#asked.flatMap(allOf).some(({ name }) => this.#numbers.wants(name));
  }

  show(snapshot: Parameters<NonNullable<Pane["show"]>>[0]): void {
    this.#camera = snapshot.frame.intrinsics;
    this.#asker.take(snapshot);
  }

  newSource(isMeant: boolean): void {
    if (!isMeant) this.#set([]);
  }

  #take(answer: Answer | undefined): void {
    const found = answer?.regions;
    // An answer to an earlier question is about other regions.
    const fits =
      found?.length === this.#asked.length && found.every((place, k) => spotOf(place) === spotOf(this.#asked[k]));
    this.#answer = fits ? answer : undefined;
    for (const [k, region] of (fits ? found : []).entries())
      if (answer) noteIn(this.#numbers, answer.index, this.#asked[k].name, region);
    this.#show();
  }

  #show(): void {
    const found = this.#answer?.regions;
    this.table.show(this.#asked.map((region, k) => this.#rowOf(region, found?.[k])));
    const what =
      this.#settings.now.regionShown === "time" ? "distance" : "pixels by how far they are from its distance";
    const others = this.#asked.length > 1 ? "Click in the name of another to plot it" : "";
    this.#key.replaceChildren(...[`${this.#chosen}: ${what}`, others].map((text) => element("span", "", {}, text)));
    const { frames } = this.#numbers;
    const rows = frames.plottedRows;
    this.#time.show([frames.secondsOf(rows), frames.valuesOf(kindsOf(this.#chosen).distance.name, rows)]);
    const histogram = found?.[this.#asked.findIndex(({ name }) => name === this.#chosen)]?.histogram;
    this.#reachMm = histogram?.reachMm ?? 1;
    const all = histogram?.counts.reduce((sum, count) => sum + count, 0) ?? 1;
    this.#spread.show([
      (histogram?.counts ?? []).map((_, k) => (2 * (k / (BINS - 1)) - 1) * this.#reachMm),
      (histogram?.counts ?? []).map((count) => (100 * count) / all),
    ]);
    this.#shapes = this.#asked.flatMap(({ name, x, y, width, height, outline }, k) => {
      const [camera, mm] = [this.#camera, found?.[k]?.distance.value];
      if (!camera) return [];
      const [right, bottom] = [x + width - 1, y + height - 1];
      const square = [x, y, right, y, right, bottom, x, bottom];
      const corners = outline ?? [0, 2, 4, 6].map((k) => ({ x: square[k], y: square[k + 1] }));
      const vertices = corners.map((corner) => vertexAt(camera, { u: corner.x, v: corner.y }, (mm ?? 1000) / 1000));
      return [{ outlines: [vertices], label: name }];
    });
  }

  #rowOf(region: NamedRegion, found: LiveRegion | undefined) {
    const { name, tapeMm } = region;
    const change = (patch: Partial<NamedRegion>) =>
      this.#set(this.#regions.map((one) => (one.name === name ? { ...one, ...patch } : one)));
    const head = () => {
      const field = element("input", "name", { value: name, maxLength: 40, ariaLabel: "Name of the region" });
      field.addEventListener("change", () => {
        const wanted = field.value.replace(/[:;]/g, " ").trim();
        if (wanted && !this.#regions.some((one) => one.name === wanted)) change({ name: wanted });
        else field.value = name;
      });
      field.addEventListener("focus", () => {
        this.#chosen = name;
        this.#show();
      });
      return field;
    };
    const tail = () => {
      const label = `True distance of ${name}, mm`;
      const field = element("input", "number", { type: "number", min: "0", step: "any", ariaLabel: label });
      field.max = `${MOST_TAPE_MM}`;
      field.value = `${tapeMm ?? ""}`;
      field.addEventListener("change", () => {
        if (field.reportValidity()) change({ tapeMm: field.valueAsNumber > 0 ? field.valueAsNumber : undefined });
      });
      return field;
    };
    const onRemove = () => this.#set(this.#regions.filter((one) => one.name !== name));
    const cells = found ? cellsOf(found, tapeMm, this.#frames()) : COLUMNS.slice(1, -2).map(() => "…");
    return { key: name, head, tail, onRemove, cells };
  }
}
