import type { Intrinsics } from "../../../../core/frame.ts";
import type { BoxReading } from "../../../../measure/boxReading.ts";
import type { Answer } from "../../../../measure/live.ts";
import type { Measurements } from "../../../../measure/measure.ts";
import { spellReading } from "../../../../measure/reading.ts";
import type { Pixel } from "../../../../measure/scene.ts";
import { inPage, planeNumbers, planeText, sidesText, told, toldChange } from "../../../../measure/words.ts";
import { button, element, setText } from "../../../dom/controls.ts";
import { entry } from "../../../dom/menu.ts";
import { amount, type Fields, onOff } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts, type PixelTool } from "../pane.ts";
import { type Shape, vertexAt, vertexOf } from "../probe/marks.ts";
import type { Pixel as ProbedPixel } from "../probe/projection.ts";
import { type Snapshot, sampleAt } from "../probe/snapshot.ts";
import { Asker } from "./asker.ts";
import { fullText, isFull, listField, NONE, PIXELS, placesIn, textOf } from "./places.ts";
import { type Row, RowTable } from "./rowTable.ts";

const fields = {
  boxes: listField("Boxes", PIXELS, "A pixel on each thing that is measured as a box on the floor"),
  planes: listField("Planes", PIXELS, "A pixel on each plane that is measured"),
  floorAt: listField("Floor", PIXELS, "A pixel that sees the floor; without one the floor is found by itself"),
  floorMm: amount(
    "Camera height (tape), mm",
    0,
    { min: 0, max: 20_000 },
    "The camera’s distance from the floor, square to the floor. All lengths are scaled so that the floor lies there; 0: unknown",
  ),
  floorGrid: onOff("Grid", false, "A grid on the floor that was found, with lines of whole metres"),
} satisfies Fields;
type List = Exclude<keyof typeof fields, "floorGrid" | "floorMm">;

export const boxPane = definePane({
  name: "box",
  label: "Boxes and floor",
  summary: "Length, width and height of things on the floor, planes and angles",
  place: "below",
  menu: "Measure",
  order: 34,
  key: "k",
  keySays: "Measure boxes",
  fields,
  needs: () => "source",
  create: (parts) => new BoxPane(parts),
});

class BoxPane implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly pixelTools: readonly PixelTool[];
  readonly choices: readonly HTMLElement[];
  readonly table = new RowTable("Readings of the floor, boxes and planes", ["", "", ""]);
  readonly #note = element("p", "note");
  readonly #asker: Asker;
  readonly #settings;
  #answer: Answer["measured"];
  /** Counts how often somebody pressed "Remember"; `undefined` where nothing is remembered. */
  #since: number | undefined;
  #shapes: readonly Shape[] = [];
  #seen: Snapshot | undefined;

  constructor({ settings, control, shown, foundFloor, isOpen, open }: PaneParts<typeof fields>) {
    this.#settings = settings;
    this.#asker = new Asker(
      shown,
      (answer) => {
        this.#answer = answer?.measured;
        foundFloor.take(this.#answer?.floor ?? undefined);
        this.#show();
      },
      this.table.pending,
    );
    this.content = [element("div", "measured-list", {}, this.table.element, this.#note)];
    const tool = (list: List, label: string, summary: string, hint: string, shortcut?: PixelTool["shortcut"]) => ({
      label,
      summary,
      hint,
      ...(shortcut && { shortcut }),
      isAsking: () => settings.now.boxes === NONE && settings.now.planes === NONE,
      choose: ({ u: x, v: y }: ProbedPixel) => {
        const listed = list === "floorAt" ? [] : this.#listed(list);
        // A double click measures one thing.
        const isListed = listed.some((one) => one.x === x && one.y === y);
        if (!isFull(listed) && !isListed) this.#set(list, [...listed, { x, y }]);
      },
    });
    const plane = { key: "shift+k", says: "Measure planes" };
    const on = { key: "shift+g", says: "Take another plane for the floor" };
    this.pixelTools = [
      tool("boxes", "Box", "Length, width, height and volume of a thing", "Click a thing on the floor or a table"),
      tool("planes", "Plane", "Tilt, distance and flatness of a plane", "Click a plane", plane),
      tool("floorAt", "Floor", "Takes another plane as the floor: a table, a conveyor", "Click the floor", on),
    ];
    foundFloor.isKnown = isOpen;
    foundFloor.isShown = () => settings.now.floorGrid;
    const above = button("From above", () => foundFloor.lookDown(), "Looks straight down onto the floor (2)");
    const tape = element("input", "number", { type: "number", min: "0", step: "any" });
    tape.addEventListener("change", () => {
      // The page's keys are the user's again.
      tape.blur();
      settings.update({ floorMm: fields.floorMm.parse(tape.valueAsNumber || 0) ?? settings.now.floorMm });
      showTape();
    });
    const showTape = () => {
      tape.value = `${settings.now.floorMm || ""}`;
    };
    const by = element("label", "tape", { title: fields.floorMm.summary }, fields.floorMm.label, tape);
    const remembers = "Keeps the scene as it is; then shows the volume that was added or taken away";
    const remember = () => {
      open();
      this.#remember((this.#since ?? 0) + 1);
    };
    this.choices = [entry("Remember", remembers, remember)];
    this.tools = [by, control("floorGrid"), above];
    settings.changes$.subscribe((changed) => {
      if (document.activeElement !== tape) showTape();
      if (changed.has("floorGrid")) foundFloor.onChange();
      this.#ask();
      this.#show();
    });
  }

  get shapes() {
    return () => this.#shapes;
  }

  #listed(list: List): readonly Pixel[] {
    return placesIn(PIXELS, this.#settings.now[list]);
  }

  #set(list: List, pixels: readonly Pixel[]): void {
    this.#settings.update({ [list]: textOf(PIXELS, pixels) });
  }

  #ask(): void {
    const [floor] = this.#listed("floorAt");
    const [boxes, planes] = [this.#listed("boxes"), this.#listed("planes")];
    const floorMm = this.#settings.now.floorMm || undefined;
    this.#asker.ask({
      measure: { boxes, volumes: boxes, planes, floor: floor ?? "auto", floorMm },
      since: this.#since,
    });
  }

  #remember(since: number | undefined): void {
    this.#since = since;
    this.#ask();
    this.#show();
  }

  opened(): void {
    this.#ask();
    this.#show();
  }

  show(snapshot: Parameters<NonNullable<Pane["show"]>>[0]): void {
    this.#seen = snapshot;
    this.#asker.take(snapshot);
  }

  newSource(isMeant: boolean): void {
    if (!isMeant) this.#settings.update({ boxes: NONE, planes: NONE, floorAt: NONE, floorMm: 0 });
    this.#since = undefined;
  }

  #show(): void {
    const found = this.#answer;
    this.table.show(found ? this.#rowsOf(found) : []);
    const { held = false, frames = 0, scale = 1, warnings = [] } = found ?? {};
    const mean = frames > 1 ? `mean of ${frames} frames` : "measured in one frame";
    const note = held ? "something moves: these are the readings from before" : mean;
    const full = (["boxes", "planes"] as const).filter((list) => isFull(this.#listed(list))).map(fullText);
    const notes = [note, ...full, ...(scale === 1 ? [] : [`scaled by ${scale.toFixed(4)}`]), ...warnings.map(inPage)];
    const hint = this.#listed("boxes").length > 0 ? "" : "Press “Box”, then click a thing on the floor";
    setText(this.#note, found ? notes.join(" · ") : hint);
    const seen = this.#seen;
    this.#shapes = seen
      ? [
          ...(found?.boxes ?? []).flatMap((box) => shapeOf(seen.frame.intrinsics, found?.floor, box)),
          ...this.#listed("boxes").flatMap((at, k) =>
            found?.boxes[k]?.corners[0] ? [] : markAt(seen, at, `Box ${k + 1}`),
          ),
          ...this.#listed("planes").map((at, k) => markAt(seen, at, `Plane ${k + 1}`)),
          ...this.#listed("floorAt").map((at) => markAt(seen, at, "Floor")),
        ]
      : [];
  }

  #rowsOf(found: Measurements & { readonly held: boolean }): Row[] {
    const { floor, boxes, volumes, changes, planes, angles, between, held } = found;
    const state = held ? ("held" as const) : undefined;
    // By its pixel, since the list may have changed since the frame that was measured.
    const remove = (list: List, { x, y }: Pixel) => {
      return () =>
        this.#set(
          list,
          this.#listed(list).filter((one) => one.x !== x || one.y !== y),
        );
    };
    const [chosen] = this.#listed("floorAt");
    const floorRow: Row = {
      key: chosen ? "Floor chosen" : "Floor",
      head: "Floor",
      state,
      cells: [floor ? planeText(floor) : "not found: press “Floor” and click the floor"],
      numbers: floor ? planeNumbers(floor) : [],
      ...(chosen && { onRemove: remove("floorAt", chosen) }),
    };
    const boxRows = boxes.map(({ length, width, height, at }, k): Row => {
      const over = volumes[k]?.volume;
      // Where both cannot be told for the same reason, that is said once.
      const volume = over && (over.value !== null || over.why !== length.why) && told("volume over the floor", over);
      const text = inPage(`${sidesText({ length, width, height })}${volume ? `; ${volume}` : ""}`);
      const key = `Box ${k + 1} at ${at.x}, ${at.y}`;
      const sizes = { length, width, height, ...(over && { "volume over the floor": over }) };
      const numbers = Object.entries(sizes).map(([name, size]) => [name, inPage(spellReading(size))] as const);
      return { key, head: `Box ${k + 1}`, state, cells: [text], numbers, onRemove: remove("boxes", at) };
    });
    const listed = this.#listed("planes");
    const planeRows = listed.map((at, k): Row => {
      const plane = planes.length === listed.length && planes[k];
      const to = [
        ["to the floor", angles[k]],
        [`to plane ${k}`, between[k - 1]],
      ] as const;
      const turns = to.flatMap(([what, angle]) => (angle ? [[what, spellReading(angle)] as const] : []));
      const none = plane === null ? "cannot tell: no plane was found there" : "…";
      const text = plane ? [planeText(plane), ...turns.map(([what, angle]) => `${angle} ${what}`)].join(", ") : none;
      const angleNumbers = turns.map(([what, angle]) => [`angle ${what}`, angle] as const);
      const numbers = plane ? [...planeNumbers(plane), ...angleNumbers] : [["distance", none] as const];
      const key = `Plane ${k + 1} at ${at.x}, ${at.y}`;
      return { key, head: `Plane ${k + 1}`, state, cells: [text], numbers, onRemove: remove("planes", at) };
    });
    const [volume] = changes.map((one) => one.volume);
    const change = volume ? toldChange(volume) : this.#since !== undefined && "measuring …";
    const numbers = volume ? [["volume", spellReading(volume)] as const] : [];
    const [head, onRemove] = ["Change since Remember", () => this.#remember(undefined)];
    const changeRow: Row = { key: "Change", head, state, cells: [change || ""], numbers, onRemove };
    return [floorRow, ...boxRows, ...planeRows, ...(change ? [changeRow] : [])];
  }
}

/** The outline of a box's top, and the upright edges below it. */
function shapeOf(camera: Intrinsics, floor: Measurements["floor"] | undefined, box: BoxReading): Shape[] {
  const { corners, length, width, height } = box;
  if (corners.length === 0 || !floor) return [];
  const [down, tall] = [floor.normal, (height.value ?? 0) / 1000];
  const top = corners.map((corner) => vertexOf(camera, corner));
  const uprights = height.value === null ? [] : corners;
  const edges = uprights.map((corner, k) => {
    const [x, y, z] = corner;
    return [top[k], vertexOf(camera, [x - down[0] * tall, y - down[1] * tall, z - down[2] * tall])];
  });
  const label = [length, width, height].map(({ value }) => value?.toFixed(0) ?? "?").join(" × ");
  return [{ outlines: [top, ...edges], label: `${label} mm` }];
}

/** A diamond around a pixel that was clicked. */
function markAt(seen: Snapshot, { x: u, y: v }: Pixel, label: string): Shape {
  const camera = seen.frame.intrinsics;
  const [far, zM] = [camera.width / 160, sampleAt(seen, { u, v }).point?.[2] ?? 1];
  const corners = [0, 1, 2, 3].map((k) => ({ u: u + far * [-1, 0, 1, 0][k], v: v + far * [0, -1, 0, 1][k] }));
  return { outlines: [corners.map((corner) => vertexAt(camera, corner, zM))], label };
}
