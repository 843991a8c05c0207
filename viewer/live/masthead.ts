import type { Pipeline } from "../../pipeline/index.ts";
import type { RecordingInput, Source } from "../../sources/index.ts";
import { button } from "../dom/controls.ts";
import { element, setText } from "../dom/element.ts";
import { addressField } from "./source/addressField.ts";

/** What is playing and on what, and where to choose something else. */
export class Masthead {
  readonly #name = element("h1");
  readonly #facts = element("p", "facts");

  constructor(
    readonly root: HTMLElement,
    onSynthetic: () => void,
    onInput: (input: RecordingInput) => void,
    onAddress: (address: string) => void,
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
        button("Recording…", () => file.click(), ".zip or .tgz: TUM RGB-D, 7-Scenes, 16-bit PNGs"),
        button("Folder…", () => folder.click(), "TUM RGB-D, 7-Scenes, 16-bit PNGs"),
        button("Synthetic room", close(onSynthetic), "Ray-traced, seen by a simulated Kinect"),
        element("small", "", {}, "or drop one anywhere"),
        addressField(close(onAddress)),
      ),
    );
    document.addEventListener("pointerdown", (event) => {
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    root.append(element("div", "title", {}, this.#name, this.#facts), menu, file, folder);
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
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  tum: "TUM RGB-D",
  "7scenes": "7-Scenes",
  png: "PNGs",
  foxglove: "Foxglove WebSocket",
  "depth stream": "raw depth",
};

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
