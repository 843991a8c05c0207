import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { PerspectiveCamera, Scene, WebGPURenderer } from "three/webgpu";
import type { Gpu } from "../../../pipeline/index.ts";
import { isRecording, playOf, type Source } from "../../../sources/index.ts";
import { compact, defaultStages } from "../../../stages/index.ts";
import { button, element, setText, toggle } from "../../dom/controls.ts";
import { openSource } from "../../element/openSource.ts";
import { pipelineAside } from "../../pipelineAside.ts";
import { createDepthPoints, type DepthPoints, gpuOf } from "../../three/index.ts";
import { named, parseSourceLink } from "../source/sourceLink.ts";
import { textOf } from "../state/messageText.ts";
import { camerasIn, type RigCamera } from "./rigCameras.ts";

const GROUND = 0x0b0d10;

/** Makes the page that shows several cameras as one cloud, in the space of the first one; each can be switched off. */
export async function showRig(): Promise<void> {
  const says = element("output", "says");
  const bar = element("header", "bar", {}, element("h1", "", {}, "Several cameras, one space"));
  const view = element("main", "space");
  document.body.className = "rig";
  document.body.replaceChildren(bar, view);
  bar.append(says);
  try {
    const cameras = camerasIn(location.hash);
    const foreign = cameras.map(({ source }) => source).filter((source) => !isOwn(source));
    // Anybody may have written the link.
    if (foreign.length > 0) {
      setText(says, `This link connects to ${foreign.map(named).join(", ")}`);
      await new Promise<void>((resolve) => bar.append(button("Connect", resolve)));
      bar.querySelector("button")?.remove();
      setText(says, "");
    }
    await play(cameras, bar, view, (text) => setText(says, text));
  } catch (error) {
    setText(says, textOf(error));
  }
}

function isOwn(source: string): boolean {
  const link = parseSourceLink(source, location.href);
  return link.kind === "own" || (link.kind === "stream" && link.own);
}

async function play(cameras: readonly RigCamera[], bar: HTMLElement, view: HTMLElement, say: (text: string) => void) {
  const renderer = new WebGPURenderer();
  await renderer.init();
  renderer.setClearColor(GROUND);
  const gpu = await gpuOf(renderer);
  const canvas = renderer.domElement;
  canvas.ariaLabel = "The cameras’ points: drag to turn, turn the wheel to zoom, drag with the right button to move";
  view.append(canvas);
  const scene = new Scene();
  const eye = new PerspectiveCamera(50, 1, 0.02, 200);
  const controls = new OrbitControls(eye, canvas);
  controls.listenToKeyEvents(window);
  let stale = true;
  new ResizeObserver(() => {
    stale = true;
    const { clientWidth: width, clientHeight: height } = view;
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(width, height, false);
    eye.aspect = width / Math.max(1, height);
    eye.updateProjectionMatrix();
  }).observe(view);
  let isSeen = false;
  const failed = new Map<number, string>();
  say("Opening …");
  /** Call this after a frame of a camera; the first frame of the first one that can be opened decides where the eye is. */
  const took = (points: DepthPoints, k: number) => {
    stale = true;
    const isFirst = cameras.findIndex((_, n) => !failed.has(n)) === k;
    const middle = isFirst && !isSeen ? points.fit(eye) : undefined;
    if (!middle) return;
    controls.target.copy(middle);
    isSeen = true;
    if (failed.size === 0) say("Drag to turn, scroll or pinch to zoom");
  };
  let isDrawing = false;
  renderer.setAnimationLoop(async () => {
    // A GPU that is slower than the cameras would otherwise queue pictures without end, and show none.
    if (isDrawing || (!controls.update() && !stale)) return;
    [stale, isDrawing] = [false, true];
    renderer.render(scene, eye);
    await gpu?.device.queue.onSubmittedWorkDone();
    isDrawing = false;
  });
  await Promise.all(
    cameras.map(async ({ source: address, toFirst }, k) => {
      const name = `Camera ${k + 1}`;
      const slot = element("span");
      bar.append(slot);
      try {
        const source = await openSource(address, { topic: undefined, signal: new AbortController().signal });
        const points = await playInto(renderer, gpu, source, (shown) => took(shown, k), say);
        scene.add(points.place(toFirst));
        const show = toggle(`${name}: ${source.name}`, true, (on) => {
          points.visible = on;
          stale = true;
        });
        slot.replaceWith(show.element);
      } catch (error) {
        failed.set(k, `${name}: ${textOf(error)}`);
        say([...failed.values()].join(" · "));
      }
    }),
  );
}

/** Plays a source into points of its own. `took` is called when they show another frame. */
async function playInto(
  renderer: WebGPURenderer,
  gpu: Gpu | undefined,
  source: Source,
  took: (points: DepthPoints) => void,
  say: (text: string) => void,
): Promise<DepthPoints> {
  const pipeline = await pipelineAside({
    stages: [...defaultStages().filter(({ role }) => role === "filter"), compact()],
    // The CPU is faster than a software GPU, which has the points to draw.
    ...(gpu && !gpu.software ? { gpu } : { backend: "cpu" }),
  });
  const points = await createDepthPoints(renderer, pipeline);
  const frames$ = isRecording(source) ? playOf(source, { loop: true }) : source.frames$;
  frames$.pipe(pipeline.process("latest")).subscribe({
    next(frame) {
      points.show(frame).then(
        () => took(points),
        (error) => say(`${source.name}: ${textOf(error)}`),
      );
    },
    error: (error) => say(`${source.name}: ${textOf(error)}`),
  });
  return points;
}
