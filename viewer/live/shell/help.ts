import { element } from "../../dom/controls.ts";
import { openSheet } from "../../dom/sheet.ts";
import { type Key, type KeyGroup, type Keys, namesOf, spellKey } from "../control/keys.ts";

/** Gestures, which the table of keys does not have. */
const HAND: readonly (readonly [by: readonly string[], says: string])[] = [
  [["Click"], "Focus on what you click"],
  [
    ["M", "Click"],
    "Set an end of the ruler. Without a mouse: M, arrow keys, Enter. All tools work so, and Esc ends them",
  ],
  [["Double click"], "Centre what you click"],
  [["Drag", "One finger"], "Rotate about the point under the pointer"],
  [["Right drag", "Middle drag", "Two fingers"], "Pan"],
  [["Wheel", "Pinch"], "Zoom to the point under the pointer"],
];

/** Shows all keys, from the same table that the page listens with. */
export function showHelp(keys: Keys): void {
  const groups = keys.groups.map(sectionOf);
  const hand = element("section", "", {}, element("h3", "", {}, "Mouse and touch"), listOf(HAND));
  const note =
    "The space bar plays and pauses. On a button or switch that you reached by Tab, it and Enter press that.";
  const title = element("h2", "", {}, "Keys");
  openSheet(
    "Keys",
    element("div", "keys", {}, title, element("div", "groups", {}, hand, ...groups), element("p", "note", {}, note)),
    "help",
  );
}

const sectionOf = ({ title, keys }: KeyGroup): HTMLElement =>
  element("section", "", {}, element("h3", "", {}, title), listOf(keys.map((key) => [capsOf(key), key.says])));

const capsOf = (key: Key): readonly string[] => namesOf(key).map(spellKey);

function listOf(lines: readonly (readonly [caps: readonly string[], says: string])[]): HTMLElement {
  const list = element("dl");
  for (const [caps, says] of lines) {
    const names = element("dt", "", {}, ...caps.map((cap) => element("kbd", "", {}, cap)));
    list.append(element("div", "", {}, names, element("dd", "", {}, says)));
  }
  return list;
}
