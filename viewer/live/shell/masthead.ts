import type { Pipeline } from "../../../pipeline/index.ts";
import { isLive, type LiveSource, type RecordingInput, type Source } from "../../../sources/index.ts";
import { button, element, select, setText } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import { pick } from "../source/fileHandles.ts";
import { OFFERED, type OfferedName, sceneNamed } from "../source/scenes.ts";
import { addressField, computerChoice, phoneChoice } from "../source/sourceChoices.ts";
import type { SourceOpener } from "../source/sourceOpener.ts";
import { sentence } from "../state/messageText.ts";

/** The ways to open a source that the menu offers. */
export type Ways = Pick<SourceOpener, "synthetic" | "recording" | "address" | "phone" | "camera" | "cameras" | "topic">;

const READS =
  ".bag, .db3 and .mcap of ROS or RealSense, .mkv of an Azure Kinect, .oni, .sens, images in a .zip or .tgz …";

/** The bar on top: the source that plays, what runs the stages, and the menu that opens another source. */
export class Masthead {
  readonly #name = element("h1");
  readonly #facts = element("p", "facts");
  readonly #topics = element("div", "topics", { hidden: true });
  readonly #under = element("div", "under", {}, element("p", "brand", {}, "Depthloom"), this.#facts);
  readonly title = element("div", "title", {}, this.#name, this.#under, this.#topics);

  constructor(
    readonly root: HTMLElement,
    readonly ways: Ways,
    isFromTable = false,
  ) {
    const onInput = (input: RecordingInput) => ways.recording(input);
    const [file, folder] = [chooser(onInput, false), chooser(onInput, true)];
    const phone = phoneChoice((xr) => ways.phone(xr));
    const computer = computerChoice(() => ways.camera());
    const open = menu(
      "Open",
      "",
      button("Recording…", () => void choose("recording", file, onInput), READS),
      button("Folder…", () => void choose("folder", folder, onInput), "Of images: TUM RGB-D, 7-Scenes, 16-bit PNGs …"),
      computer.element,
      ...(Object.keys(OFFERED) as OfferedName[]).map((scene) =>
        button(OFFERED[scene].title, () => ways.synthetic(scene), OFFERED[scene].hint),
      ),
      element("small", "", {}, "or drop a file or folder anywhere on the page"),
      addressField((address) => {
        const opening = ways.address(address);
        open.open = typeof opening === "string";
        return typeof opening === "string" ? sentence(opening) : "";
      }),
      phone.element,
    );
    const find = () => {
      void computer.find();
      void phone.find();
    };
    open.addEventListener("toggle", find, { once: true });
    const back = element("a", "button", { href: "./table.html", title: "Back to the table of recordings" }, "‹ Table");
    root.append(...(isFromTable ? [back] : []), this.title, open, file, folder);
  }

  /** Shows the source's name, format, size and rate, and what runs the stages. */
  show(source: Source, width: number, height: number, { gpu }: Pipeline): void {
    const scene = sceneNamed(source.name);
    const streamed = isLive(source) ? source.title : undefined;
    const name = scene ? OFFERED[scene].title : (streamed ?? source.name);
    setText(this.#name, name);
    const device = gpu ? `WebGPU, ${[gpu.vendor, gpu.description].filter(Boolean).join(" ")}` : "CPU";
    const format = source.format === "synthetic" ? [] : [FORMATS[source.format] ?? source.format.toUpperCase()];
    const facts = [...format, `${width} × ${height}`, `${Number(source.fps.toFixed(1))} fps`, device];
    setText(this.#facts, facts.join(" · "));
    document.title = `${name} – Depthloom`;
    this.#offerTopics(source);
  }

  /** Offers the depth topics of a file, or the cameras, if there are several. */
  #offerTopics(source: Source): void {
    const topics = source.format === "camera" ? camerasOf(source, this.ways) : topicsOf(source);
    this.#topics.hidden = !topics || topics.names.length < 2;
    if (!topics || this.#topics.hidden) return;
    const choices = Object.fromEntries(topics.names.map((name) => [name, name]));
    const list = select(topics.label, choices, topics.chosen, async (name) => {
      if (!(await this.ways.topic(name))) list.set(topics.chosen);
    });
    this.#topics.replaceChildren(list.element);
  }
}

const camerasOf = ({ name }: Source, { cameras }: Ways) => ({
  label: "Depth camera",
  names: cameras.map((camera) => camera.name),
  chosen: name,
});

/** The depth topics of a source; `undefined` if it has none. */
const topicsOf = (source: Source & Pick<LiveSource, "topics" | "topic">) =>
  source.topics && source.topic !== undefined
    ? { label: "Depth topic", names: source.topics.map(({ name }) => name), chosen: source.topic }
    : undefined;

/** Names of formats, if those are not the format's key in capitals. */
const FORMATS: Readonly<Record<string, string>> = {
  "7scenes": "7-Scenes",
  bag: "ROS bag",
  camera: "camera",
  db3: "ROS 2 bag",
  "depth stream": "raw depth",
  fakenect: "fakenect",
  foxglove: "Foxglove WebSocket",
  icl: "ICL-NUIM",
  image: "one image",
  lerobot: "LeRobot",
  mkv: "Azure Kinect",
  npy: "NumPy",
  npz: "NumPy",
  nyu: "NYU v2",
  oni: "OpenNI",
  pair: "pairs of images",
  png: "PNGs",
  rtabmap: "RTAB-Map",
  sens: "ScanNet",
  stray: "Stray Scanner",
  sun: "SUN3D",
  tum: "TUM RGB-D",
  webxr: "WebXR",
};

/**
 * Lets the user choose by the browser's dialog for handles, which can be opened again after a reload; if the browser has none, by a file
 * input.
 */
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
    // Otherwise choosing the same file again would cause no event.
    input.value = "";
    if (files.length > 0) onInput(files);
  });
  return input;
}
