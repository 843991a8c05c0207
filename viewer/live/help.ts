import { element } from "../dom/element.ts";
import { openSheet } from "../dom/sheet.ts";
import { type Key, type KeyGroup, type Keys, namesOf, spellKey } from "./keys.ts";

/** What no key does. */
const HAND: readonly (readonly [string, string])[] = [
  ["Click", "Focus on what is there"],
  ["Double click", "Bring it to the middle"],
  ["Drag, one finger", "Turn about what is under it"],
  ["Right or middle drag, two fingers", "Move"],
  ["Wheel, pinch", "Go nearer to what is under it"],
];

/** Shows all keys: the very table that listens. */
export function showHelp(keys: Keys): void {
  const groups = keys.groups.map(sectionOf);
  const hand = element(
    "section",
    "",
    {},
    element("h3", "", {}, "By hand"),
    listOf(HAND.map(([by, says]) => [[by], says])),
  );
  const note =
    "Enter presses, flips or opens what the Tab key has come to; the space bar does so for buttons and switches, and everywhere else it plays and pauses.";
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
