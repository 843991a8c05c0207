import { type Figure, figuresOf, spellFigure } from "../../../../measure/figures.ts";
import type { Answer } from "../../../../measure/live.ts";
import { MODELS, type Model } from "../../../../measure/models.ts";
import { element, setText } from "../../../dom/controls.ts";
import { amount, type Fields, oneOf } from "../../state/field.ts";
import { ExtrasOf } from "../extras/extrasOf.ts";
import { definePane, type Pane, type PaneParts } from "../pane.ts";
import { Asker } from "./asker.ts";
import { RowTable } from "./rowTable.ts";

const NAMES = Object.fromEntries(Object.entries(MODELS).map(([name, { label }]) => [name, label])) as Record<
  Model,
  string
>;
const BASELINES = { min: 0, max: 1000 };
const DISTANCES = { min: 0, max: 100_000, step: 1 };

const fields = {
  checkModel: oneOf<Model | "unknown">("Camera", "unknown", { unknown: "Unknown", ...NAMES }, "Whose noise is usual"),
  checkBaselineMm: amount("Baseline, mm", 0, BASELINES, "Between a stereo camera’s two eyes; 0: unknown"),
  checkTruthMm: amount("True distance, mm", 0, DISTANCES, "The wall’s distance by tape, for Z accuracy; 0: unknown"),
} satisfies Fields;

export const checkPane = definePane({
  name: "check",
  label: "Check the camera",
  summary: "How good the camera’s depth of a wall is, and what is wrong",
  place: "below",
  order: 36,
  key: "h",
  fields,
  needs: () => "source",
  create: (parts) => paneOf(parts),
});

function paneOf({ settings, control, shown }: PaneParts<typeof fields>): Pane {
  const table = new RowTable("Readings of the camera", ["", "", ""]);
  const verdict = element("div", "verdict", { role: "status" });
  const show = (answer: Answer | undefined) => {
    const checked = answer?.checked;
    // What takes a wall is said once, above the table.
    const isKnown = ({ reading: { why = "" } }: Figure) => checked?.wall || !/\bwall\b/.test(why);
    const rows = checked ? figuresOf(checked).filter(isKnown).map(spellFigure) : [];
    table.show(
      rows.map(([name, value, note]) => ({ key: name, head: name, cells: [value, note], numbers: [[name, value]] })),
    );
    const faults = checked?.faults.map(({ says }) => says) ?? [];
    const none = checked?.wall
      ? "No fault found"
      : "Point the camera at a flat wall that fills the picture, and hold it still";
    const lines = checked?.wall && faults.length > 0 ? faults : [...faults, none];
    if (lines.length !== verdict.childElementCount) verdict.replaceChildren(...lines.map(() => element("p")));
    for (const [k, line] of lines.entries()) setText(verdict.children[k], line);
    verdict.classList.toggle("fault", faults.length > 0);
  };
  const asker = new Asker(shown, show, table.pending);
  const extras = new ExtrasOf(shown, ["metadata"], (read) => read && asker.take(read.snapshot, read.metadata));
  const ask = () => {
    const { checkModel, checkBaselineMm, checkTruthMm } = settings.now;
    asker.ask({
      check: {
        model: checkModel === "unknown" ? undefined : checkModel,
        baselineMm: checkBaselineMm || undefined,
        truthMm: checkTruthMm || undefined,
      },
    });
  };
  settings.changes$.subscribe(ask);
  show(undefined);
  const known = element("div", "known", {}, control("checkModel", { list: true }));
  known.append(control("checkBaselineMm"), control("checkTruthMm"));
  return {
    table,
    content: [element("div", "measured-list check", {}, verdict, table.element, known)],
    opened: ask,
    show: (snapshot) => extras.take(snapshot),
    newSource: (isMeant) => void (isMeant || settings.update({ checkTruthMm: 0 })),
  };
}
