import ndarray from "ndarray";
import type { Subject } from "rxjs";
import { afterEach, beforeEach, vi } from "vitest";
import { createPipeline, type Pipeline, type PipelineOptions, type ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { Saver } from "../../viewer/live/out/saver.ts";
import { FullQuality } from "../../viewer/live/show/fullQuality.ts";
import { StageController } from "../../viewer/live/show/stageController.ts";
import type { Player } from "../../viewer/live/source/player.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { Focus } from "../../viewer/live/view/camera/focus.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { camera } from "../compact/cloud.ts";

export const [WIDTH, HEIGHT] = [8, 6];
export const ORANGE = [230, 156, 40] as const;

/** The files that the present test saved. */
export let files: { readonly name: string; readonly content: Blob }[] = [];
/** The pipeline of the present test. */
export let pipeline: Pipeline;

/** Makes the pipeline of the present test, on the CPU. */
export async function make(options: PipelineOptions): Promise<void> {
  pipeline = await createPipeline({ ...options, backend: "cpu" });
}

/** Makes the tests of the file that calls this function save into memory, and frees each test's pipeline. */
export function saveIntoMemory(): void {
  beforeEach(() => {
    files = [];
    let given = new Blob();
    vi.stubGlobal("document", {
      createElement: () => {
        const link = { download: "", append() {}, click: () => files.push({ name: link.download, content: given }) };
        return link;
      },
    });
    vi.spyOn(URL, "createObjectURL").mockImplementation((content) => {
      given = content as Blob;
      return "blob:test";
    });
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    await pipeline.destroy();
  });
}

/** A wall 1 m away. The camera saw orange there, but for the first pixel, for which it has no colour. */
export function wall(index: number, coloured: boolean): DepthFrame {
  const rgba = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => (i < 4 ? 0 : ([...ORANGE, 255][i % 4] ?? 0)));
  const depth = ndarray(new Uint16Array(WIDTH * HEIGHT).fill(1000), [HEIGHT, WIDTH]);
  const color = coloured && { color: ndarray(rgba, [HEIGHT, WIDTH, 4]) };
  return { ...camera([HEIGHT, WIDTH]), depth, timestamp: index * 33, index, ...color };
}

/** What sets the pipeline's stages as the page's default settings say. */
function controllerOf(): StageController {
  const rig = new Rig();
  return new StageController({ pipeline } as never, createStore("cpu"), rig, new Focus(rig));
}

/** A saver of the present test's pipeline; `said` lists what it tells the user. */
export function saverOf(player: Player, shown$: Subject<ProcessedFrame>, canvas: object, invalidate = () => {}) {
  const said: string[] = [];
  const controller = controllerOf();
  const parts = {
    ...{ pipeline, player, shown$, invalidate, quality: new FullQuality(pipeline.governor) },
    messages: { show: (_: string, __: string, text: string) => said.push(text) },
    asMeasured: (work: (off: boolean) => Promise<unknown>) => controller.asMeasured(work).finally(invalidate),
    ...{ canvas: () => canvas, draw() {}, settingsFile: () => ({}), link: () => "" },
  };
  return { saver: new Saver(parts as unknown as ConstructorParameters<typeof Saver>[0]), said, controller };
}

/** The bytes of the file that was saved. */
export async function savedBytes(): Promise<Buffer> {
  const [file] = files;
  if (!file) throw new Error("nothing was saved");
  return Buffer.from(await file.content.arrayBuffer());
}

/** The header of a PLY, and the colours of its points. */
export function pointsIn(bytes: Buffer): { header: string; colours: number[][] } {
  const end = bytes.indexOf("end_header\n") + 11;
  const colours: number[][] = [];
  for (let at = end; at < bytes.length; at += 15) colours.push([...bytes.subarray(at + 12, at + 15)]);
  return { header: bytes.subarray(0, end).toString(), colours };
}
