import type { Intrinsics } from "../../../../core/frame.ts";
import type { Rigid } from "../../../../core/pose.ts";
import type { Gpu } from "../../../../pipeline/index.ts";
import type { Chunk } from "../../../../scan/mesh/chunks.ts";
import type { GpuMesh } from "../../../../scan/mesh/gpuMesh.ts";
import type { Box } from "../../../../scan/mesh/tidy.ts";
import { element } from "../../../dom/controls.ts";
import type { LookAround } from "./lookAround.ts";
import type { ModelView } from "./modelView.ts";

/** The canvas of a model. Three.js is loaded when the pane is opened, and a picture is drawn when something has changed. */
export class ModelScreen {
  readonly canvas = element("canvas", "", { tabIndex: 0, role: "application" });
  view: ModelView | undefined;
  #around: LookAround | undefined;
  /** The parts of the mesh, for the next device. */
  readonly #chunks = new Map<number, Chunk>();
  /** The mesh that is on the GPU, where there is one. */
  #mesh: GpuMesh | undefined;
  #opening: Promise<void> | undefined;
  #device: GPUDevice | undefined;
  #isAsked = false;
  /** Where the sensor was last. */
  #sensor: Rigid | undefined;

  constructor(readonly gpu: () => Gpu | null) {
    this.canvas.ariaLabel =
      "The model: drag or arrow keys turn it, plus and minus zoom, double click or 0 follow the sensor";
    this.canvas.addEventListener("dblclick", () => this.#follow());
    this.canvas.addEventListener("keydown", ({ key }) => key === "0" && this.#follow());
    new ResizeObserver(() => this.#fit()).observe(this.canvas);
  }

  get triangles(): number {
    return this.view?.triangles ?? 0;
  }

  /** Makes the picture, once for each device. Rejects where nothing draws in 3D. */
  open(hasTint: boolean): Promise<void> {
    const gpu = this.gpu();
    if (this.#opening && this.#device === gpu?.device) return this.#opening;
    this.#device = gpu?.device;
    this.#opening = this.#open(gpu, hasTint);
    // The next opening of the pane tries again.
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(gpu: Gpu | null, hasTint: boolean): Promise<void> {
    const [{ ModelView }, { LookAround }] = await Promise.all([import("./modelView.ts"), import("./lookAround.ts")]);
    this.view?.dispose();
    this.view = await ModelView.open(this.canvas, gpu);
    this.#around ??= new LookAround(this.canvas, () => this.#ask());
    for (const chunk of this.#chunks.values()) this.view.put(chunk);
    this.lend(this.#mesh);
    this.tint(hasTint);
    this.#fit();
  }

  /** Shows what the scan has come to. */
  took(chunks: readonly Chunk[], toWorld: Rigid | undefined, isLost: boolean, lens: Intrinsics | undefined): void {
    for (const chunk of chunks) {
      this.#chunks.set(chunk.key, chunk);
      this.view?.put(chunk);
    }
    if (toWorld && lens) {
      this.view?.sensor(toWorld, lens);
      this.#around?.follow(toWorld);
      this.#sensor = toWorld;
    }
    if (this.view) this.view.isLost = isLost;
    this.#ask();
  }

  /** Draws a mesh from where the mesh is on the GPU; before that mesh is freed, call it with another one, or none. */
  lend(mesh: GpuMesh | undefined): void {
    this.#mesh = mesh;
    this.view?.lend(mesh?.device === this.#device ? mesh : undefined);
    this.#ask();
  }

  tint(on: boolean): void {
    if (this.view) this.view.tint = on ? 1 : 0;
    this.#ask();
  }

  crop(box: Box | undefined): void {
    if (this.view) this.view.crop = box;
    this.#ask();
  }

  clear(): void {
    this.#chunks.clear();
    this.view?.clear();
    this.#sensor = undefined;
    this.#follow();
    this.crop(undefined);
  }

  #follow(): void {
    if (!this.#around) return;
    this.#around.isFollowing = true;
    // After the end of a scan no frame comes that would move the view.
    if (this.#sensor) this.#around.follow(this.#sensor);
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.view?.resize(width, height);
    this.#around?.rig.resize(width, height);
    this.#ask();
  }

  /** Has the picture drawn once before the screen's next one. */
  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      if (this.view && this.#around && this.canvas.clientWidth > 0) this.view.draw(this.#around.rig.camera);
    });
  }
}
