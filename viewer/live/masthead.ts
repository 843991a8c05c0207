import type { Pipeline } from "../../pipeline/index.ts";
import type { RecordedSource, RecordingInput, Source } from "../../sources/index.ts";
import { button, select } from "../dom/controls.ts";
import { element, setText } from "../dom/element.ts";
import { addressField } from "./source/addressField.ts";
import { pick } from "./source/handles.ts";

/** What is playing and on what, and where to choose something else. */
export class Masthead {
  readonly #name = element("h1");
  readonly #facts = element("p", "facts");
  readonly #topics = element("div", "topics", { hidden: true });

  constructor(
    readonly root: HTMLElement,
    onSynthetic: () => void,
    onInput: (input: RecordingInput) => void,
    onAddress: (address: string) => void,
    readonly onTopic: (name: string) => void,
  ) {
    const menu = element("details", "menu", {}, element("summary", "button", {}, "Open"));
    const close = <A extends unknown[]>(then: (...given: A) => void) => {
      return (...given: A) => {
        menu.open = false;
        then(...given);
      };
    };
    const file = chooser(close(onInput), false);
    const folder = chooser(close(onInput), true);
    menu.append(
      element(
        "div",
        "choices",
        {},
        button(
          "Recording…",
          () => void choose("recording", file, close(onInput)),
          ".mcap, .bag, .db3 of ROS or RealSense; .zip or .tgz: TUM RGB-D, 7-Scenes, 16-bit PNGs",
        ),
        button("Folder…", () => void choose("folder", folder, close(onInput)), "TUM RGB-D, 7-Scenes, 16-bit PNGs"),
        button("Synthetic room", close(onSynthetic), "Ray-traced, seen by a simulated Kinect"),
        element("small", "", {}, "or drop one anywhere"),
        addressField(close(onAddress)),
      ),
    );
    document.addEventListener("pointerdown", (event) => {
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    root.append(element("div", "title", {}, this.#name, this.#facts, this.#topics), menu, file, folder);
  }

  /** Says what is playing, how large its images are, and what runs the stages. */
  show(source: Source, width: number, height: number, { gpu }: Pipeline): void {
    const name = source.format === "synthetic" ? "Synthetic room" : source.name;
    setText(this.#name, name);
    const device = gpu ? `WebGPU, ${[gpu.vendor, gpu.description].filter(Boolean).join(" ")}` : "CPU";
    const format = source.format === "synthetic" ? [] : [FORMATS[source.format] ?? source.format];
    const facts = [...format, `${width} × ${height}`, `${Number(source.fps.toFixed(1))} fps`, device];
    setText(this.#facts, facts.join(" · "));
    document.title = `${name} – Depthloom`;
    this.#offerTopics(source);
  }

  /** Of a file with several depth topics: which one plays. */
  #offerTopics(source: Source): void {
    const topics = topicsOf(source);
    this.#topics.hidden = !topics || topics.names.length < 2;
    if (!topics || this.#topics.hidden) return;
    const choices = Object.fromEntries(topics.names.map((name) => [name, name]));
    this.#topics.replaceChildren(select("Depth topic", choices, topics.chosen, this.onTopic).element);
  }
}

/** The depth topics of a source, if it is a file that has them. */
const topicsOf = (source: Source & Partial<Pick<RecordedSource, "topics" | "topic">>) =>
  source.topics && source.topic !== undefined
    ? { names: source.topics.map(({ name }) => name), chosen: source.topic }
    : undefined;

const FORMATS: Readonly<Record<string, string>> = {
  tum: "TUM RGB-D",
  "7scenes": "7-Scenes",
  png: "PNGs",
  foxglove: "Foxglove WebSocket",
  "depth stream": "raw depth",
  mcap: "MCAP",
  bag: "ROS bag",
  db3: "ROS 2 bag",
};

/** By the browser's own dialog where it gives handles, which can be opened again after a reload; else by that of an input. */
async function choose(what: "recording" | "folder", input: HTMLInputElement, onInput: (input: RecordingInput) => void) {
  const chosen = await pick(what);
  if (chosen === undefined) input.click();
  else if (chosen !== "nothing") onInput(chosen);
}

function chooser(onInput: (input: RecordingInput) => void, folder: boolean): HTMLInputElement {
  const input = element("input", "", { type: "file", hidden: true, webkitdirectory: folder, multiple: !folder });
  input.setAttribute("aria-label", folder ? "Choose a folder" : "Choose a recording");
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    // The same file may be chosen again.
    input.value = "";
    if (files.length > 0) onInput(files);
  });
  return input;
}
