import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { NEVER, of } from "rxjs";
import { describe, expect, onTestFinished, test } from "vitest";
import { DepthloomError } from "../core/errors.ts";
import type { DepthFrame } from "../core/frame.ts";
import * as depthloom from "../depthloom.ts";
import * as measuring from "../measure/index.ts";
import { createPipeline, openGpu } from "../pipeline/index.ts";
import * as publishing from "../run/publish/index.ts";
import * as scanning from "../scan/index.ts";
import {
  findMediaCameras,
  framesOf,
  image,
  mapFrames,
  openCamera,
  openLive,
  openMediaCamera,
  openRecording,
  playOf,
  rawSource,
  syntheticRoom,
  webxrSource,
} from "../sources/index.ts";
import * as authoring from "../stages/core/index.ts";
import { defaultStages, median } from "../stages/index.ts";
import * as overlay from "../viewer/overlay/index.ts";
import * as three from "../viewer/three/index.ts";
import * as writing from "../write/index.ts";
import { useFolder } from "./sources/fixtures.ts";

// One rule for every call of the library: an unknown option is refused, `signal` rejects with its reason, and what is thrown for a wrong
// argument is a DepthloomError. The last test walks all exports, so that none is left out of the tables.

const { align, findThings, measure, weightOf } = measuring;
const { publish } = publishing;
const { scan } = scanning;
const { createDepthPoints } = three;
const { colorPng, McapRecorder, recordMcap, writeLerobot, writePngFolder, writePoints, writeTum } = writing;

const disk = useFolder();
const newFolder = () => join(disk.root, `${readdirSync(disk.root).length}`);
const room = syntheticRoom({ width: 32, height: 24, frames: 3 });
const scene = () => room;
/** Scans a program's own recording, whose function `read` gives what no recording does. */
const scanBy = (read: () => unknown) => {
  const own = { ...scene(), read: read as () => Promise<never> };
  return scan(own, { backend: "cpu" });
};
/** A frame as programs make them. */
const plain = (): DepthFrame => {
  const intrinsics = { fx: 4, fy: 4, cx: 1.5, cy: 1, width: 4, height: 3 };
  return { depth: image(new Uint16Array(12), [3, 4]), metresPerUnit: 0.001, intrinsics, timestamp: 0, index: 0 };
};
const recorded = (frame: DepthFrame) => new McapRecorder({ write: async () => {}, position: () => 0n }).frame(frame);
const episode = () => ({ recording: scene(), start: 0, count: 3 });
const camera = { id: "", name: "", label: "" };

/** A pipeline on the CPU, and the frame that came out of it. */
async function processed() {
  const pipeline = await createPipeline({ stages: [median()], backend: "cpu" });
  return { pipeline, frame: await pipeline.run(await scene().read(0)) };
}

type Call = (options: { readonly signal?: AbortSignal }) => Promise<unknown>;

/** Every function that takes its time. */
const ABORTABLE: Readonly<Record<string, Call>> = {
  createPipeline: (more) => createPipeline({ stages: [median()], backend: "cpu", ...more }),
  openGpu: (more) => openGpu("auto", more),
  openRecording: (more) => openRecording("none", more),
  openLive: (more) => openLive("ws://127.0.0.1:1", more),
  openCamera: (more) => openCamera("camera:realsense", more),
  openMediaCamera: (more) => openMediaCamera(camera, more),
  findMediaCameras,
  read: (more) => scene().read(0, more),
  pose: (more) => scene().pose(0, more),
  "Pipeline.run": async (more) => (await processed()).pipeline.run(await scene().read(0), more),
  readDepth: async (more) => (await processed()).frame.readDepth(more),
  createDepthPoints: (more) => createDepthPoints({} as never, { gpu: null }, more),
  publish: (more) => publish(scene().frames$, { port: 0, ...more }),
  scan: (more) => scan(scene(), more),
  align: (more) => align([], more),
  measure: async (more) => measure([], more),
  findThings: async (more) => findThings([], more),
  writeTum: (more) => writeTum(scene(), newFolder(), more),
  writePngFolder: (more) => writePngFolder(scene(), newFolder(), more),
  writePoints: (more) => writePoints(scene(), newFolder(), more),
  writeLerobot: (more) => writeLerobot([episode()], newFolder(), { depth: "tiff", task: "", ...more }),
};

const OTHERS: Readonly<Record<string, (options: object) => Promise<unknown>>> = {
  syntheticRoom: async (more) => syntheticRoom(more),
  framesOf: async (more) => framesOf(scene(), more),
  playOf: async (more) => playOf(scene(), more),
  rawSource: async (more) => rawSource((async function* () {})(), "raw", { size: { width: 2, height: 2 }, ...more }),
  defaultStages: async (more) => defaultStages(more),
  webxrSource: (more) => webxrSource({ requestReferenceSpace: async () => {} } as never, more),
  recordMcap: (more) => recordMcap("none", more),
  McapRecorder: async (more) => new McapRecorder({ write: async () => {}, position: () => 0n }, more),
  colorPng: async (more) => colorPng(image(new Uint8Array(4), [1, 1, 4]), more),
  process: async (more) => (await processed()).pipeline.process("latest", more),
};

test.each(Object.entries({ ...ABORTABLE, ...OTHERS }))(
  "%s refuses an option that it does not know",
  async (_, call) => {
    const message: unknown = expect.stringMatching(/: there is no option sgnal; there (is|are)/);
    await expect(call({ sgnal: 1 } as object)).rejects.toMatchObject({ name: "OptionError", message });
  },
);

test.each(Object.entries(ABORTABLE))("%s rejects with the reason of a signal aborted before", async (_, call) => {
  await expect(call({ signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
});

/** Calls with a first argument that they cannot take; each throws an error for people. */
const MISTAKEN: Readonly<Record<string, () => unknown>> = {
  measure: () => measure("x" as never),
  findThings: () => findThings("x" as never),
  weightOf: () => weightOf({} as never, 5000),
  align: () => align({} as never),
  estimateNoise: () => depthloom.estimateNoise({} as never),
  meshFile: () => scanning.meshFile({} as never, "glb"),
  "meshFile's format": () => scanning.meshFile(emptyMesh, "xyz" as never),
  meshOfFrame: () => scanning.meshOfFrame({} as never),
  cropped: () => scanning.cropped(emptyMesh, [] as never),
  simplified: () => scanning.simplified({} as never, 1),
  withoutFlecks: () => scanning.withoutFlecks({} as never, 1),
  scan: () => scan({} as never),
  webxrSource: () => webxrSource(undefined as never),
  openMediaCamera: () => openMediaCamera(undefined as never),
  openCamera: () => openCamera(undefined as never),
  openRecording: () => openRecording(undefined as never),
  openLive: () => openLive(undefined as never),
  publish: () => publish(NEVER, {}),
  framesOf: () => framesOf({} as never),
  playOf: () => playOf({} as never),
  median: () => median({ size: 7 } as never),
  writeTum: () => writeTum({} as never, newFolder()),
  poseLine: () => writing.poseLine({ timestamp: 0, toWorld: [1, 0, 0] }),
  writePngFolder: () => writePngFolder({} as never, newFolder()),
  "writePngFolder's images": () => writePngFolder(scene(), newFolder(), { images: "exr" as never }),
  writePoints: () => writePoints(scene(), newFolder(), { format: "obj" as never }),
  writeLerobot: () => writeLerobot([], newFolder(), { depth: "tiff", task: "" }),
  createPipeline: () => createPipeline({} as never),
  "scan's options": () => scan(scene(), null as never),
  "simplified's number": () => scanning.simplified(emptyMesh, Number.NaN),
  "withoutFlecks' number": () => scanning.withoutFlecks(emptyMesh, -1),
  SceneBuilder: () => new measuring.SceneBuilder().add({} as never),
  RigCamera: () => new measuring.RigCamera().add(null as never),
  "publish's frames": () => publish(scene() as never, { port: 0 }),
  "writeTum's target": () => writeTum(scene(), undefined as never),
  recordMcap: () => recordMcap(null as never),
  "recordMcap's place": () => recordMcap(import.meta.filename),
  depthPng: () => writing.depthPng(null as never),
  depthNpy: () => writing.depthNpy({} as never),
  depthTiff: () => writing.depthTiff(5 as never),
  "depthNpy's window on an image": () => writing.depthNpy(plain().depth.hi(2, 2)),
  "depthPng's turned image": () => writing.depthPng(plain().depth.transpose(1, 0)),
  "depthTiff's bytes": () => writing.depthTiff(image(new Uint8Array(4), [2, 2]) as never),
  "colorPng's depth": () => colorPng(plain().depth as never),
  "McapRecorder's frame": () => recorded({ ...plain(), depth: undefined as never }),
  "McapRecorder's window on depth": () => recorded({ ...plain(), depth: plain().depth.hi(2, 2) }),
  "writeTum's frames": () => writeTum({ length: 1, fps: 30, read: async () => null as never }, newFolder()),
  "writePoints' start": () => writePoints(scene(), newFolder(), { start: 1000 }),
  "publish's frame": async () => (await publish(of(5) as never, { port: 0 })).ended,
  "publish's host": async () => (await publish(of(plain()), { port: 0, host: "nowhere.invalid" })).ended,
  colorPng: () => colorPng(null as never),
  image: () => image(new Uint16Array(4), [3, 3]),
  mapFrames: () => mapFrames(null as never),
  "Pipeline.frames": async () => {
    for await (const _ of (await processed()).pipeline.frames(null as never));
  },
  defineStage: () => authoring.defineStage({ name: "a b", summary: "", schema: {} } as never),
  number: () => authoring.number(5, { min: 9, max: 1 }, ""),
  choice: () => authoring.choice(1 as never, [2], ""),
  vector: () => authoring.vector(null as never, ""),
  toggle: () => authoring.toggle("x" as never, ""),
  createKernel: () => authoring.createKernel({} as never, {} as never),
  liveUniform: () => authoring.liveUniform({ buffer() {} } as never, "fn", "none", {}, () => 0),
  "publish's url": () => publish(NEVER, { url: "http:" }),
  McapRecorder: () => new McapRecorder(null as never),
  "Folder.create": () => writing.Folder.create(null as never),
  "Folder.resume": () => writing.Folder.resume(null as never),
  meaning: () => writing.meaning(30, undefined as never, 0.001),
  "meaning's number": () => writing.meaning(Number.NaN, lens, 0.001),
  spellReading: () => measuring.spellReading(null as never),
  regionOf: () => measuring.regionOf([null, null, null] as never),
  "a scan's reader": () => scanBy(async () => undefined),
  "a scan's reader that is no promise": () => scanBy(() => 5),
  isBlank: () => depthloom.isBlank({} as never),
  countValid: () => depthloom.countValid(null as never),
  shapeOf: () => depthloom.shapeOf(undefined as never),
  sameShape: () => depthloom.sameShape({} as never, {} as never),
  sameLens: () => depthloom.sameLens(lens, null as never),
  reportText: () => depthloom.reportText(null as never),
  mediaLack: () => depthloom.mediaLack(null as never),
  pageFacts: () => depthloom.pageFacts(),
  findMediaCameras: () => findMediaCameras(),
  LatencyOverlay: () => new overlay.LatencyOverlay({} as never),
  meshGeometry: () => three.meshGeometry({} as never),
  placeOf: () => three.placeOf(undefined as never),
  gpuOf: () => three.gpuOf(null as never),
  createDepthPoints: () => createDepthPoints({} as never, { gpu: null }),
  "createDepthPoints' pipeline": () => createDepthPoints({} as never, null as never),
  SeveralTopicsError: () => new depthloom.SeveralTopicsError("x", null as never),
  "options as a list": () => defaultStages([] as never),
};

const lens = { width: 2, height: 2, fx: 1, fy: 1, cx: 0.5, cy: 0.5 };
const emptyMesh = {
  positions: new Float32Array(),
  normals: new Float32Array(),
  colours: new Uint8Array(),
  indices: new Uint32Array(),
};

test.each(Object.entries(MISTAKEN))("%s refuses a wrong argument with a DepthloomError", async (_, call) => {
  const error = await (async () => call())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DepthloomError);
});

describe("a signal that is aborted later ends", () => {
  test("writing, after the frame in hand", async () => {
    const [ending, folder] = [new AbortController(), newFolder()];
    const onFrame = () => ending.abort("enough");
    await expect(writeTum(scene(), folder, { signal: ending.signal, onFrame })).rejects.toBe("enough");
    expect(existsSync(join(folder, "depth.txt"))).toBe(true);
  });

  test("a scan", async () => {
    const ending = new AbortController();
    const onProgress = () => ending.abort("enough");
    await expect(scan(scene(), { backend: "cpu", signal: ending.signal, onProgress })).rejects.toBe("enough");
  });

  test("a publication", async () => {
    const ending = new AbortController();
    const { ended } = await publish(NEVER, { port: 0, signal: ending.signal });
    ending.abort("enough");
    await expect(ended).rejects.toBe("enough");
    // A server that takes the connection and says nothing.
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const later = new AbortController();
    const hangs = publish(NEVER, { url, signal: later.signal });
    later.abort("enough");
    await expect(hangs).rejects.toBe("enough");
  });
});

/** Exported functions that refuse nothing: some take any value, the others mark a stage's parameter, and `defineStage` checks the mark. */
const PLAIN = "isAddress shownAddress isRecording isLive isCamera stageWorker strideOf eased expert fromView labelled";

test("every stage, and every function that takes options, has an example in its doc comment", () => {
  const rooms = ["core", "sources", "pipeline", "stages", "run/publish", "scan", "measure", "write", "viewer/three"];
  const files = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" }).flatMap((name) =>
      /(?<!\.d)\.ts$/.test(name) ? [readFileSync(join(room, name), "utf8")] : [],
    ),
  );
  const documented = /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\nexport (?:async )?(?:function|const) (\w+)/g;
  const shown = files.flatMap((text) =>
    [...text.matchAll(documented)].flatMap(([, doc = "", name]) => (doc.includes("@example") ? [name] : [])),
  );
  const entries = Object.assign({}, depthloom, measuring, publishing, scanning, three, writing);
  const asked = Object.keys({ ...ABORTABLE, ...OTHERS, ...MISTAKEN }).filter(
    (name) => typeof Reflect.get(entries, name) === "function",
  );
  const stages = Object.keys(entries).filter((name) => "stageName" in Object(Reflect.get(entries, name)));
  expect([...asked, ...stages].filter((name) => !/^[A-Z]/.test(name) && !shown.includes(name))).toEqual([]);
});

test("every export is a stage, an error, a constant, a class or in one of the tables", () => {
  const entries = [depthloom, measuring, publishing, scanning, authoring, overlay, three, writing];
  const known = new Set([...Object.keys({ ...ABORTABLE, ...OTHERS, ...MISTAKEN }), ...PLAIN.split(" ")]);
  const isOther = (value: unknown) =>
    typeof value !== "function" || "stageName" in value || /^class/.test(String(value));
  const all = entries.flatMap((entry) => Object.entries(entry));
  expect(all.filter(([name, value]) => !isOther(value) && !known.has(name)).map(([name]) => name)).toEqual([]);
});

test("a publication, a recording, the synthetic scene, a stream and a pipeline end with `await using`", async () => {
  const { pipeline } = await processed();
  const publication = await publish(NEVER, { port: 0 });
  const raw = rawSource((async function* () {})(), "raw", { size: { width: 2, height: 2 } });
  for (const one of [publication, syntheticRoom(), pipeline, raw]) await one[Symbol.asyncDispose]();
  expect(pipeline.signal.aborted).toBe(true);
});
