import type { NamedNumber } from "../../../../measure/measuredPage.ts";
import { element, setText } from "../../../dom/controls.ts";
import { unbroken } from "../../state/messageText.ts";
import { iconButton } from "../paneBox.ts";

/** A row of a table of readings. */
export interface Row {
  /** Rows of the same key keep their elements, so that what somebody types in or points at stays. */
  readonly key: string;
  /** What the row is about: a name, or a control that is made once. */
  readonly head: string | (() => HTMLElement);
  readonly cells: readonly string[];
  /** The numbers that the cells' sentences tell, with their quantities; without them each cell is one, named by its column. */
  readonly numbers?: readonly (readonly [quantity: string, words: string])[];
  /** Makes the control that the row's last cell has; called once. */
  readonly tail?: () => HTMLElement;
  /** Takes the row away. */
  readonly onRemove?: () => void;
  /** The row's text is not of now, or tells of a fault. */
  readonly state?: "held" | "fault" | undefined;
}

interface Made {
  readonly row: HTMLElement;
  readonly head: HTMLElement;
  readonly cells: readonly HTMLElement[];
  numbers: Row["numbers"];
}

/** A table of readings, which change while frames play. */
export class RowTable {
  readonly element = element("div", "readings", { tabIndex: 0, role: "region" });
  readonly #body = element("tbody");
  readonly #made = new Map<string, Made>();
  /** The key of the row that was added last. */
  #newest = "";

  constructor(
    label: string,
    readonly columns: readonly string[],
  ) {
    const heads = columns.map((column) => (column ? element("th", "", { scope: "col" }, column) : element("td")));
    const head = element("thead", "", {}, element("tr", "", {}, ...heads));
    const table = element("table", "", { ariaLabel: label }, this.#body);
    if (columns.some((column) => column)) table.prepend(head);
    this.element.append(table);
    this.element.ariaLabel = label;
  }

  /** Marks the readings as those of an older frame than that on the screen. */
  readonly pending = (isPending: boolean): void => {
    this.element.ariaBusy = `${isPending}`;
  };

  show(rows: readonly Row[]): void {
    for (const [key, { row }] of this.#made) {
      if (rows.some((wanted) => wanted.key === key)) continue;
      row.remove();
      this.#made.delete(key);
    }
    const isFirst = this.#made.size === 0;
    for (const [k, row] of rows.entries()) {
      if (!isFirst && row.onRemove && !this.#made.has(row.key)) this.#newest = row.key;
      const made = this.#made.get(row.key) ?? this.#make(row);
      const { cells, head, row: line } = made;
      made.numbers = row.numbers;
      const isAwaited = row.key === this.#newest && ["", "…"].includes(cells[0]?.textContent ?? "");
      // Only a row out of place moves, since a field in a row that moves would lose the focus.
      if (this.#body.children[k] !== line) this.#body.insertBefore(line, this.#body.children[k] ?? null);
      if (typeof row.head === "string") setText(head, row.head);
      for (const [k, cell] of cells.entries()) setText(cell, unbroken(row.cells[k] ?? ""));
      line.className = row.state ?? "";
      // What somebody has just asked for comes into sight, and again with its readings, which may need more room.
      if (isAwaited) line.scrollIntoView({ block: "nearest" });
    }
  }

  /** What the table says, a line for each row. */
  get lines(): readonly (readonly string[])[] {
    return [...this.#body.children].map((row) =>
      [...row.children].filter((cell) => cell.className !== "remove").map(wordsOf),
    );
  }

  /** The numbers in the table, row by row. */
  get numbers(): readonly NamedNumber[] {
    const made = new Map([...this.#made.values()].map(({ row, numbers }) => [row as Element, numbers]));
    return this.lines.flatMap(([what, ...cells], k) => {
      const named = made.get(this.#body.children[k]) ?? cells.map((cell, n) => [this.columns[n + 1], cell] as const);
      return named.map(([quantity, words]) => [what, quantity, words] as const);
    });
  }

  #make({ key, head, tail, onRemove, cells }: Row): Made {
    const first = element("th", "", { scope: "row" }, typeof head === "string" ? head : head());
    // A row with fewer cells than the table has columns lets its last one reach to the end.
    const wide = this.columns.length - 1 - (tail ? 1 : 0) - cells.length;
    const made = cells.map((_, k) =>
      element("td", "", k === cells.length - 1 ? { colSpan: 1 + Math.max(0, wide) } : {}),
    );
    // A narrow pane shows the columns' names beside the cells, not above them.
    for (const [k, cell] of made.entries()) cell.dataset.label = this.columns[k + 1] ?? "";
    const row = element("tr", "", {}, first, ...made);
    if (tail) {
      const last = element("td", "", {}, tail());
      last.dataset.label = this.columns[made.length + 1] ?? "";
      row.append(last);
    }
    if (onRemove) {
      const name = typeof head === "string" ? head : key;
      row.append(element("td", "remove", {}, iconButton("close", `Remove ${name}`, onRemove)));
    }
    const entry: Made = { row, head: first, cells: made, numbers: undefined };
    this.#made.set(key, entry);
    return entry;
  }
}

const wordsOf = (cell: Element): string =>
  (cell.querySelector("input")?.value ?? cell.textContent ?? "").replaceAll("\u00a0", " ");
