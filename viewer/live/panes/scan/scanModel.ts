import { counted } from "../../../../core/check.ts";
import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { MeshFormat } from "../../../../scan/mesh/files.ts";
import type { Recording } from "../../../../sources/index.ts";
import { button, element, setText } from "../../../dom/controls.ts";
import { entry } from "../../../dom/menu.ts";
import { download } from "../../../overlay/download.ts";
import type { Key } from "../../control/keys.ts";
import { EveryFrame } from "../../out/everyFrame.ts";
import { stemOf } from "../../out/fileNames.ts";
import type { Origin } from "../../show/shown.ts";
import { textOf } from "../../state/messageText.ts";
import type { Pane, PaneParts } from "../pane.ts";
import type { Kind, Offer } from "../plot/numbers.ts";
import { CropBox } from "./cropBox.ts";
import type { ScanProgress } from "./messages.ts";
import { ModelScreen } from "./modelScreen.ts";
import { openSaveSheet, type Wanted } from "./saveSheet.ts";
import type { scanFields } from "./scanFields.ts";
import { ScanRun } from "./scanRun.ts";
import { COUNT, LOST, LOST_PLAYING, START, WAITS } from "./scanWords.ts";
import { farOf, type Search, searchTurning } from "./turning.ts";

/** The most memory of a scan, MiB. */
const MOST_MB = 800;
/** Pieces of fewer triangles are left out of files. */
const LEAST_PIECE = 300;

/** The time of the scan's worker for a frame. */
const TIMES = {
  name: "scan",
  summary: "How long the scan’s worker takes to place and add a frame, and to make parts of the mesh beside it",
  kinds: ["add", "mesh"].map((part): Kind => ({ name: `scan, ${part}`, unit: "ms" })),
  stacked: true,
} satisfies Offer;

/** The pane of a scan: the model, what to do, and the buttons. */
export class ScanModel implements Pane {
  readonly content: readonly HTMLElement[];
  readonly tools: readonly HTMLElement[];
  readonly choices: readonly HTMLElement[];
  readonly shortcuts: readonly Key[];
  readonly #parts: PaneParts<typeof scanFields>;
  readonly #run: ScanRun;
  readonly #screen: ModelScreen;
  readonly #crop: CropBox;
  readonly #says = element("p", "says", { role: "status" }, START);
  readonly #count = element("span", "count", { title: COUNT });
  /** Where every frame of a recording is scanned, by stepping. */
  #every: EveryFrame | undefined;
  /** How many frames of a recording were scanned as a whole, and how far the thing turned, degrees. */
  #of: number | undefined;
  #degrees: number | undefined;
  #search: Search | undefined;
  /** Resolves when the newest frame is in the model. */
  #taken: Promise<void> = Promise.resolve();
  #wasPlaying = false;
  readonly #go = button("Scan", () => this.#press());
  readonly #undo = button("Undo 3 s", () => void this.#run.turn("undo"), "Takes the last seconds out of the model");
  readonly #redo = button("Redo", () => void this.#run.turn("redo"), "Puts back what Undo took");
  readonly #new = button("Discard", () => this.#discard(), "Throws this model away");
  readonly #stop = button("Stop", () => this.#end(), "Ends the scan; the model stays, to be looked at and saved");
  readonly #save = button("Save…", () => openSaveSheet(this.#wanted, (format) => void this.#saveAs(format)));
  readonly #wanted: Wanted = { isLargest: false, triangles: 500_000 };
  #lens: ProcessedFrame["shape"]["intrinsics"] | undefined;
  #source: Origin["source"] | null = null;
  /** What failed, or is being done, in words. */
  #note = "";
  /** How long the worker took for the last frame, ms. */
  #frameMs = 0;

  constructor(parts: PaneParts<typeof scanFields>) {
    this.#parts = parts;
    this.#screen = new ModelScreen(() => parts.pipeline.gpu);
    this.#run = new ScanRun(
      parts.pipeline,
      (progress) => this.#took(progress),
      () => this.#refresh(),
      (index, progress) => this.#plot(index, progress),
      () => this.#drawn(),
    );
    parts.numbers.offer("scan", [TIMES]);
    this.#crop = new CropBox(
      () => this.#run.desk?.drawn?.box ?? this.#screen.view?.bounds,
      () => this.#screen.crop(this.#crop.box),
    );
    const buttons = element("div", "buttons", {}, this.#go, this.#stop, this.#undo, this.#redo, this.#save, this.#new);
    this.content = [
      element("div", "model", {}, this.#screen.canvas, this.#says),
      element("footer", "scan", {}, buttons, this.#crop.element, this.#count),
    ];
    this.tools = [parts.control("scanVoxelMm", { unit: "mm" }), parts.control("scanTint")];
    const begin = () => {
      parts.open();
      if (!this.#search && this.#run.state !== "scanning") this.#press();
    };
    const now = "A model of what plays from now on: move the camera slowly around the thing";
    const all = "Steps from In to Out: the next frame comes when the model has the one before";
    const turns = "A model of a thing that turns before a camera that stands; what does not turn is left out";
    const turntable = () => void this.#scanAll(true);
    this.choices = [
      entry("From here", now, begin),
      entry("Every frame of a recording", all, () => void this.#scanAll(false)),
      entry("Turntable", turns, turntable, "", "Shift J"),
    ];
    this.shortcuts = [{ key: "shift+j", says: "Scan a thing on a turntable", does: turntable }];
    parts.settings.changes$.subscribe(() => {
      this.#screen.tint(parts.settings.now.scanTint);
      this.#refresh();
    });
    this.#refresh();
  }

  opened(): void {
    void this.#screen.open(this.#parts.settings.now.scanTint).catch((error) => {
      this.#note = `The model cannot be shown here (${textOf(error)}); it can be scanned and saved all the same`;
      this.#refresh();
    });
  }

  isUsed = () => this.#every !== undefined || ["scanning", "paused"].includes(this.#run.state);

  observe(frame: ProcessedFrame, origin: Origin): void {
    // A model that has ended is still of the source that it was made of.
    if (!this.#source || this.#run.state === "scanning")
      [this.#lens, this.#source] = [frame.shape.intrinsics, origin.source];
    if (this.#every && !this.#every.awaits(frame)) return;
    this.#taken = this.#run.observe(frame, origin);
    this.#every?.processed(frame);
  }

  draw(): void {
    const { playing } = this.#parts.player;
    if (playing !== this.#wasPlaying) this.#refresh();
    this.#wasPlaying = playing;
  }

  newSource(): void {
    // A user who pressed Scan while the page was still opening its first source meant that source.
    if (this.#source) this.#end();
  }

  #end(): void {
    this.#every?.stop();
    this.#endSearch();
    this.#run.end();
    this.#refresh();
  }

  #discard(): void {
    this.#every?.stop();
    this.#run.clear();
  }

  #endSearch(): void {
    if (this.#search) this.#note = "";
    this.#search?.end();
    this.#search = undefined;
  }

  /**
   * Takes every frame of the recording into a new model: the next one is shown when the model has the one before. `turns`: scans only the
   * thing that turns before a standing camera, once its turning is known.
   */
  async #scanAll(turns: boolean): Promise<void> {
    const { player, open } = this.#parts;
    const { recording } = player;
    open();
    if (this.#every || this.#search) return;
    this.#note = recording ? "" : "This source has no end to step to: press Scan, which takes what plays";
    if (recording && turns) await this.#scanTurning(recording);
    else if (recording) await this.#step();
    this.#refresh();
  }

  async #scanTurning(recording: Recording): Promise<void> {
    const { player, pipeline } = this.#parts;
    this.#discard();
    player.pause();
    const search = searchTurning(recording, player.part, farOf(pipeline));
    this.#search = search;
    search.onSay = (says) => {
      this.#note = says;
      this.#refresh();
    };
    search.onSay("Finds how the thing turns");
    const found = await search.found.catch((error) => {
      if (search === this.#search) this.#note = textOf(error);
    });
    if (found && search === this.#search) {
      this.#note = "";
      await this.#step(found.reachM, search.cut);
      if (this.#run.state !== "idle") this.#degrees = found.turned.degrees;
      // The frame on the screen still shows the last cut, so it is read again.
      if (player.recording === recording && !player.playing) player.seek(player.index);
    }
    search.end();
    if (search === this.#search) this.#search = undefined;
  }

  async #step(farM?: number, as?: Search["cut"]): Promise<void> {
    this.#every = new EveryFrame(this.#parts.player, () => this.#taken, as);
    await this.#begin(farM);
    this.#of = this.#every.count;
    // "Stop", or another source, may have ended the scan while it began.
    if (this.#run.state === "scanning")
      await this.#every.run().catch((error) => {
        this.#note = `The scan ended early: ${textOf(error)}`;
      });
    this.#every = undefined;
    if (this.#run.state !== "idle") this.#run.end();
  }

  #press(): void {
    const { state } = this.#run;
    if (state === "scanning") this.#run.pause();
    else if (state === "paused") this.#run.resume();
    else void this.#begin();
  }

  async #begin(farM?: number): Promise<void> {
    const { scanVoxelMm } = this.#parts.settings.now;
    const noise = this.#parts.noise();
    this.#of = undefined;
    this.#degrees = undefined;
    this.#crop.close();
    this.#screen.clear();
    const sigma = noise && { a: noise.a, b: noise.b };
    await this.#run.begin({ voxelM: scanVoxelMm / 1000, farM, mostMegabytes: MOST_MB }, sigma);
  }

  #took({ chunks, toWorld, isLost }: ScanProgress): void {
    this.#screen.took(chunks, toWorld, isLost, this.#lens);
    this.#refresh();
  }

  #plot(index: number, { addMs, meshMs }: ScanProgress): void {
    for (const [k, ms] of [addMs, meshMs].entries()) this.#parts.numbers.frames.put(index, TIMES.kinds[k], ms);
    this.#frameMs = addMs + meshMs;
  }

  /** The mesh on the GPU is another one, or was counted. */
  #drawn(): void {
    this.#screen.lend(this.#run.desk?.mesh);
    this.#refresh();
  }

  get #triangles(): number {
    return this.#run.desk?.drawn?.triangles ?? this.#screen.triangles;
  }

  async #saveAs(format: MeshFormat): Promise<void> {
    const { isLargest, triangles } = this.#wanted;
    const kept = { crop: this.#crop.box, leastPiece: isLargest ? Number.POSITIVE_INFINITY : LEAST_PIECE, triangles };
    this.#note = "";
    try {
      const bytes = await this.#run.save(format, kept);
      download(`${stemOf(this.#source)}.${format}`, new Blob([bytes], { type: "application/octet-stream" }));
    } catch (error) {
      this.#note = `The model cannot be saved: ${textOf(error)}`;
    }
    this.#refresh();
  }

  #refresh(): void {
    const [{ state, progress, frames, trouble }, { player }] = [this.#run, this.#parts];
    if (state === "idle") this.#screen.clear();
    const hasModel = frames > 0;
    setText(this.#go, { idle: "Scan", scanning: "Pause", paused: "Resume", ended: "Scan again" }[state]);
    this.#go.hidden = this.#every !== undefined || this.#search !== undefined;
    this.#stop.hidden = !this.#search && state !== "scanning" && state !== "paused";
    for (const each of [this.#save, this.#new, this.#crop.element]) each.hidden = !hasModel;
    const hasBegun = state !== "idle" && progress !== undefined;
    this.#undo.hidden = !hasBegun || state === "ended";
    this.#undo.disabled = (progress?.undoable ?? 0) === 0;
    this.#redo.hidden = this.#undo.hidden || (progress?.redoable ?? 0) === 0;
    const isLost = state === "scanning" && progress?.isLost === true;
    const full = progress?.isFull ? "The model is full: take larger voxels" : "";
    const waits = state === "scanning" && !this.#every && !player.playing ? WAITS : "";
    const lost = player.recording && !this.#every ? LOST_PLAYING : LOST;
    const says =
      this.#note || trouble || (isLost ? lost : full) || waits || (hasModel || state !== "idle" ? "" : START);
    setText(this.#says, says);
    this.#says.hidden = says === "";
    this.#says.classList.toggle("alarm", isLost || trouble !== "");
    const { loops = 0, movedM = 0 } = progress ?? {};
    const back = `came back to ${counted(loops, "earlier view")}, corrected by ${(1000 * movedM).toFixed(0)} mm`;
    const counts = [
      this.#of ? `${frames} of ${this.#of} frames` : counted(frames, "frame"),
      `${this.#frameMs.toFixed(0)} ms a frame`,
      `${thousands(this.#triangles)} triangles`,
      ...(loops > 0 ? [back] : []),
      ...(this.#degrees === undefined ? [] : [`turned by ${this.#degrees.toFixed(0)}°`]),
      ...(this.#parts.settings.now.scanTint ? ["orange: seen badly"] : []),
    ];
    setText(this.#count, hasBegun ? counts.join(" · ") : "");
  }
}

const thousands = (count: number): string => (count < 10_000 ? `${count}` : `${Math.round(count / 1000)} k`);
