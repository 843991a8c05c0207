import { button, element, setText } from "../../dom/controls.ts";
import { addressWith, valuesIn } from "../state/address.ts";
import { Link } from "./link.ts";
import { type FromHalf, listenTo, type Side, type ToHalf } from "./messages.ts";

/** The halves' addresses are written into the page's own at most once in this time, ms. */
const EVERY_MS = 400;
const NAMES = ["left", "right"] as const;

/**
 * Makes the page of two halves: two frames with the viewer's own page, whose addresses stand in this page's address behind its #, and a bar
 * with the controls of the link.
 */
export function showPair(): void {
  const values = new Map(valuesIn(location.hash).fields);
  const frames = NAMES.map((name) =>
    element("iframe", "half", { title: `The ${name} side`, src: addressOfHalf(values.get(name) ?? "") }),
  );
  const send = (to: Side, message: ToHalf) => frames[to].contentWindow?.postMessage(message, location.origin);
  const says = element("output", "says");
  const link = new Link(send, () => {
    setText(says, link.says);
    document.title = [...link.names, "Depthloom"].join(" – ");
  });
  link.offsetMs = Number(values.get("offset")) || 0;
  const linked = button("Linked", () => set(!link.on), "Whether the sides play, turn and point together");
  const offset = element("input", "field", { type: "number", step: "any", value: `${link.offsetMs}` });
  offset.addEventListener("change", () => {
    link.offsetMs = Number(offset.value) || 0;
  });
  const set = (on: boolean) => {
    link.on = on;
    linked.ariaPressed = `${on}`;
  };
  const label = element("label", "offset", {}, "Delay right side by", offset, "ms");
  label.title = "Milliseconds added to the times of the right side, where the clocks of two cameras differ";
  const back = button("One view", () => leave(frames[0]), "Closes the right side");
  const bar = element("header", "bar", {}, element("h1", "", {}, "Side by side"), linked, says, label, back);
  document.body.className = "pair";
  document.body.replaceChildren(bar, element("main", "halves", {}, ...frames));
  set(values.get("linked") !== "false");

  for (const side of [0, 1] as const) {
    const window = () => frames[side].contentWindow;
    listenTo<FromHalf>(window, (message) => {
      if (message.kind === "want") askOpener((input) => send(side, { kind: "input", input }));
      else link.take(side, message);
    });
  }
  let written = location.hash;
  setInterval(() => {
    if (location.hash !== written) return;
    const sides = NAMES.map((name, side) => [name, ownAddress(frames[side]) ?? values.get(name) ?? ""] as const);
    const fields = [...sides, ["offset", link.offsetMs] as const, ["linked", link.on] as const];
    const hash = `#${addressWith(fields.filter(([, value]) => value !== 0 && value !== true))}`;
    if (hash !== written) history.replaceState(history.state, "", `${location.pathname}${location.search}${hash}`);
    written = location.hash;
  }, EVERY_MS);
  // A link that the user follows here loads nothing by itself.
  addEventListener("hashchange", () => location.reload());
  frames[0].addEventListener("load", () => frames[0].contentWindow?.focus(), { once: true });
}

/** The page's address that shows two addresses of the viewer side by side, each from its ? on. */
export const pairOf = (left: string, right: string): string =>
  `?pair#${addressWith([
    ["left", left],
    ["right", right],
  ])}`;

/** The address of a half. It begins with this page's own path, so that a link cannot name another one. */
function addressOfHalf(address: string): string {
  const [search = "", ...hash] = address.split("#");
  const query = new URLSearchParams(search);
  query.set("half", "");
  return `${location.pathname}?${query}#${hash.join("#")}`;
}

/** A half's address, from its ? on, as a page of its own; `undefined` until it is there. */
function ownAddress({ contentWindow }: HTMLIFrameElement): string | undefined {
  const query = new URLSearchParams(contentWindow?.location.search);
  if (!query.has("half")) return undefined;
  query.delete("half");
  return `?${query}${contentWindow?.location.hash}`;
}

/** Goes back to the page that this one was opened from, else shows one half alone. */
function leave(half: HTMLIFrameElement): void {
  if (opener && !opener.closed) window.close();
  else location.assign(`${location.pathname}${ownAddress(half) ?? ""}`);
}

type Input = Extract<ToHalf, { kind: "input" }>["input"];

/** Asks the page that this one was opened from for the files that it shows. */
function askOpener(take: (input: Input) => void): void {
  if (!opener || opener.closed) {
    take(null);
    return;
  }
  const done = listenTo<Extract<ToHalf, { kind: "input" }>>(
    () => opener,
    ({ input }) => {
      done();
      take(input);
    },
  );
  opener.postMessage({ kind: "want" }, location.origin);
}
