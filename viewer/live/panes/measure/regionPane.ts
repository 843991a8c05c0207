import { button, element } from "../../../dom/controls.ts";
import { type Answer, BINS, type LiveRegion } from "../../../measure/live.ts";
import { cannotTell, type Reading, spellReading } from "../../../measure/reading.ts";
import { downloadCsv } from "../../../overlay/download.ts";
import { type Fields, oneOf } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts, type PixelTool } from "../pane.ts";
import { type Kind, type Numbers, offerOf } from "../plot/numbers.ts";
import { around, Plot } from "../plot/plot.ts";
import type { Shape } from "../probe/marks.ts";
import { Asker } from "./asker.ts";
import { listField, type NamedRegion, NONE, placesIn, REGIONS, textOf } from "./places.ts";
import { RowTable } from "./rowTable.ts";
import { vertexAt } from "./vertex.ts";

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
  order: 32,
  initial: false,
  key: "z",
  keySays: "Measure a region between two corners",
  fields,
  needs: ({ regions }) => (regions === NONE ? "nothing" : "source"),
  create: (parts) => new RegionPane(parts),
});

const COLUMNS = [
  "region",
  "valid",
  "distance",
  "against a tape",
  "plane, rms",
  "tilt across",
  "tilt down",
  "noise",
  "tape, mm",
  "",
];

class RegionPane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly pixelTools: readonly PixelTool[];
  readonly #table = new RowTable("Readings of the regions", COLUMNS);
  readonly #time = new Plot({ xUnit: "s", yUnit: "mm", xLeast: 2, range: around(0.1, 2), onCursor: () => {} });
  readonly #spread = new Plot({
    ...{ xUnit: "mm", yUnit: "%", xLeast: 0, xRange: () => [-this.#reachMm, this.#reachMm] },
    ...{ range: (_, most) => [0, Math.max(1, (most ?? 1) * 1.08)], onCursor: () => {} },
  });
  readonly #hint = element(
    "p",
    "hint",
    {},
    "Press “Region”, then drag a rectangle over any picture, or click two corners",
  );
  readonly #numbers: Numbers;
  readonly #asker: Asker;
  readonly #settings;
  #answer: Answer | undefined;
  /** The regions that the answer is of. */
  #asked: readonly NamedRegion[] = [];
  #chosen = "";
  #reachMm = 1;
  #shapes: readonly Shape[] = [];
  #camera: Parameters<typeof vertexAt>[0] | undefined;

  constructor({ settings, control, shown, numbers }: PaneParts<typeof fields>) {
    this.#settings = settings;
    this.#numbers = numbers;
    this.#asker = new Asker(shown, (answer) => this.#take(answer));
    this.#time.setLines([{ label: "distance", color: "--plot-filtered", width: 2 }]);
    this.#spread.setLines([{ label: "pixels", color: "--plot-raw", fill: true }]);
    const plots = element("div", "plots", {}, this.#time.element, this.#spread.element);
    this.content = [element("div", "measured-beside", {}, this.#table.element, plots, this.#hint)];
    const csv = button(
      "CSV",
      () =>
        downloadCsv(
          "regions.csv",
          numbers.frames.csv(this.#regions.flatMap(({ name }) => Object.values(kindsOf(name)))),
        ),
      "Saves the readings of all frames until now",
    );
    const takeAll = () => {
      const { width, height } = shown.origin?.frame.intrinsics ?? {};
      if (width && height) this.#add({ u: 0, v: 0 }, { u: width - 1, v: height - 1 });
    };
    this.tools = [control("regionShown"), button("Whole image", takeAll, "Measures in the whole image"), csv];
    this.pixelTools = [
      {
        ...{
          label: "Region",
          summary: "Measures in a rectangle",
          hint: "Drag a rectangle, or click two corners · Esc stops",
        },
        area: true,
        isAsking: () => settings.now.regions === NONE,
        choose: (a, b) => this.#add(a, b),
      },
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

  #add(a: { u: number; v: number }, b: { u: number; v: number }): void {
    const names = new Set(this.#regions.map(({ name }) => name));
    let k = 1;
    while (names.has(`Region ${k}`)) k++;
    const [x, y] = [Math.min(a.u, b.u), Math.min(a.v, b.v)];
    const size = { width: Math.abs(a.u - b.u) + 1, height: Math.abs(a.v - b.v) + 1 };
    this.#chosen = `Region ${k}`;
    this.#set([...this.#regions, { name: this.#chosen, x, y, ...size, tapeMm: undefined }]);
  }

  #refresh(): void {
    const regions = this.#regions;
    const { regionShown } = this.#settings.now;
    if (!regions.some(({ name }) => name === this.#chosen)) this.#chosen = regions[0]?.name ?? "";
    this.#hint.hidden = regions.length > 0;
    this.#table.element.hidden = regions.length === 0;
    this.#time.element.hidden = regions.length === 0 || regionShown !== "time";
    this.#spread.element.hidden = regions.length === 0 || regionShown !== "histogram";
    if (JSON.stringify(regions) !== JSON.stringify(this.#asked)) {
      this.#asked = regions;
      const kinds = regions.flatMap(({ name }) => Object.values(kindsOf(name)));
      this.#numbers.offer(
        "regions",
        kinds.map((kind) => offerOf(kind)),
      );
      this.#answer = undefined;
      this.#asker.ask(regions.length > 0 ? { regions } : undefined);
    }
    this.#show();
  }

  /** The regions are measured while the pane is closed if a plot shows their numbers. */
  isUsed(): boolean {
    return this.#asked.some(({ name }) => Object.values(kindsOf(name)).some((kind) => this.#numbers.wants(kind.name)));
  }

  show(snapshot: Parameters<NonNullable<Pane["show"]>>[0]): void {
    this.#camera = snapshot.frame.intrinsics;
    this.#asker.take(snapshot);
  }

  newSource(isFirst: boolean): void {
    // A link may name regions of the first source that it opens; in another one they mean nothing.
    if (!isFirst) this.#set([]);
  }

  #take(answer: Answer | undefined): void {
    const found = answer?.regions;
    // An answer to a question before this one is of other regions.
    const fits =
      found?.length === this.#asked.length &&
      found.every(({ x, width }, k) => x === this.#asked[k].x && width === this.#asked[k].width);
    this.#answer = fits ? answer : undefined;
    for (const [k, region] of (fits ? found : []).entries())
      if (answer) this.#note(answer.index, this.#asked[k].name, region);
    this.#show();
  }

  /** Keeps the readings of a frame for plots and CSV. */
  #note(index: number, name: string, { valid, distance, plane, noise }: LiveRegion): void {
    const values = {
      ...{
        valid: valid.value === null ? null : 100 * valid.value,
        distance: distance.value,
        error: distance.plusMinus,
      },
      ...{ rms: plane?.rmsMm, tiltX: plane?.tiltX.value, tiltY: plane?.tiltY.value, noise: noise.value },
    };
    const kinds = kindsOf(name);
    for (const key of Object.keys(values) as (keyof typeof values)[])
      this.#numbers.frames.put(index, kinds[key], values[key]);
  }

  #show(): void {
    const found = this.#answer?.regions;
    this.#table.show(this.#asked.map((region, k) => this.#rowOf(region, found?.[k])));
    this.#time.show(this.#numbers.frames.plotted(kindsOf(this.#chosen).distance.name));
    const histogram = found?.[this.#asked.findIndex(({ name }) => name === this.#chosen)]?.histogram;
    this.#reachMm = histogram?.reachMm ?? 1;
    const all = histogram?.counts.reduce((sum, count) => sum + count, 0) ?? 1;
    this.#spread.show([
      (histogram?.counts ?? []).map((_, k) => (2 * (k / (BINS - 1)) - 1) * this.#reachMm),
      (histogram?.counts ?? []).map((count) => (100 * count) / all),
    ]);
    this.#shapes = this.#asked.flatMap(({ name, x, y, width, height }, k) => {
      const [camera, mm] = [this.#camera, found?.[k]?.distance.value];
      if (!camera) return [];
      const corners = [
        [x, y],
        [x + width - 1, y],
        [x + width - 1, y + height - 1],
        [x, y + height - 1],
      ] as const;
      return [{ outlines: [corners.map(([u, v]) => vertexAt(camera, { u, v }, (mm ?? 1000) / 1000))], label: name }];
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
      const label = `Distance of ${name} by a tape, mm`;
      const field = element("input", "number", {
        type: "number",
        min: "0",
        step: "any",
        value: `${tapeMm ?? ""}`,
        ariaLabel: label,
      });
      field.addEventListener("change", () =>
        change({ tapeMm: field.valueAsNumber > 0 ? field.valueAsNumber : undefined }),
      );
      return field;
    };
    const onRemove = () => this.#set(this.#regions.filter((one) => one.name !== name));
    return {
      key: name,
      head,
      tail,
      onRemove,
      cells: found ? cellsOf(found, tapeMm) : COLUMNS.slice(1, 8).map(() => "…"),
    };
  }
}

function cellsOf({ valid, distance, plane, noise, why = "" }: LiveRegion, tapeMm: number | undefined): string[] {
  const off: Reading =
    tapeMm === undefined || distance.value === null
      ? cannotTell("mm", "type the tape’s value in")
      : { ...distance, value: distance.value - tapeMm };
  const short = (reading: Reading | undefined) => (reading ? spellReading(reading) : "–");
  return [
    ...[short(valid), short(distance), tapeMm === undefined ? "–" : short(off)],
    ...(plane ? [`${plane.rmsMm.toFixed(2)} mm`, short(plane.tiltX), short(plane.tiltY)] : [why, "", ""]),
    short(noise),
  ];
}

/** The numbers of a region over time. */
const kindsOf = (region: string) =>
  ({
    valid: { name: `${region} valid`, unit: "%" },
    distance: { name: `${region} distance`, unit: "mm" },
    error: { name: `${region} distance ±`, unit: "mm" },
    rms: { name: `${region} plane rms`, unit: "mm" },
    tiltX: { name: `${region} tilt across`, unit: "°" },
    tiltY: { name: `${region} tilt down`, unit: "°" },
    noise: { name: `${region} noise`, unit: "mm" },
  }) as const satisfies Readonly<Record<string, Kind>>;
