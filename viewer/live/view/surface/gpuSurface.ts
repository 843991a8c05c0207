import * as THREE from "three/webgpu";
import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { DepthPoints } from "../../../three/depthPoints.ts";
import { nodeForm } from "../../../three/nodeForm.ts";
import { nearestOnRay, patchAt } from "../pick/pick.ts";
import { BlurTint } from "./blurTint.ts";
import { GROUND } from "./ground.ts";
import { matrixOf, type Segments } from "./guides.ts";
import { PicturePass } from "./picturePass.ts";
import { densityOf, type Look, type Surface } from "./surface.ts";

/** Draws with Three.js on the pipeline's own device, from the stages' buffers and textures, without a copy. */
export class GpuSurface implements Surface {
  readonly #scene = new THREE.Scene();
  readonly #ground = new THREE.Color().setRGB(...GROUND);
  readonly #tint = new BlurTint();
  readonly #picture = new PicturePass(this.#tint);
  readonly #points: DepthPoints;
  readonly #veil = new THREE.Mesh(
    new THREE.PlaneGeometry(2, 2),
    new THREE.MeshBasicNodeMaterial({ transparent: true, depthWrite: false }),
  );
  readonly #lines = new Map<Segments, Lines>();
  #frame: ProcessedFrame | undefined;

  private constructor(
    readonly canvas: HTMLCanvasElement,
    readonly gpu: Gpu,
    readonly renderer: THREE.WebGPURenderer,
  ) {
    this.#scene.background = this.#ground;
    this.#veil.material.color.copy(this.#ground);
    this.#points = new DepthPoints(
      nodeForm(renderer, (color, distance) => this.#tint.tint(color, distance)),
      { gpu },
    );
    this.#points.visible = false;
    this.#scene.add(this.#picture.object, this.#points, this.#veil);
  }

  static async open(canvas: HTMLCanvasElement, gpu: Gpu): Promise<GpuSurface> {
    // The stages compute display values, so Three.js draws them as they are, without lights and without a conversion pass.
    THREE.ColorManagement.enabled = false;
    const renderer = new THREE.WebGPURenderer({ canvas, device: gpu.device, antialias: !gpu.software, alpha: false });
    renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    await renderer.init();
    // The pipeline handles the loss of the device.
    renderer.onDeviceLost = () => {};
    return new GpuSurface(canvas, gpu, renderer);
  }

  show(frame: ProcessedFrame): void {
    this.#frame = frame;
    if (frame.gpu?.points) void this.#points.show(frame);
    this.#picture.show(frame.gpu?.picture);
  }

  resize(width: number, height: number): number {
    const density = densityOf(width, height, devicePixelRatio);
    this.renderer.setPixelRatio(density);
    this.renderer.setSize(width, height, false);
    return density;
  }

  draw(camera: THREE.PerspectiveCamera, look: Look): void {
    const { gpu } = this.#frame ?? {};
    this.#picture.object.visible = look.view === "picture" && gpu?.picture !== undefined;
    this.#points.visible = look.view === "points" && gpu?.points !== undefined;
    this.#points.pointSize = look.pointSize;
    this.#tint.show(look.blur);
    this.#drawVeil(camera, look);
    this.#drawGuides(look);
    this.renderer.render(this.#scene, camera);
  }

  async pick(x: number, y: number, camera: THREE.PerspectiveCamera, look: Look): Promise<number> {
    const frame = this.#frame;
    if (!frame?.gpu) return 0;
    if (look.view === "picture" && frame.gpu.picture) return patchAt(this.gpu.device, frame.gpu.picture.depth, x, y);
    const points = await frame.readPoints();
    return nearestOnRay(points.data, points.shape[0], x, y, camera);
  }

  #drawVeil(camera: THREE.PerspectiveCamera, { veil: { distanceM, strength } }: Look): void {
    this.#veil.visible = strength > 0.01;
    if (!this.#veil.visible) return;
    const half = Math.tan((camera.fov * Math.PI) / 360) * distanceM;
    this.#veil.material.opacity = strength;
    this.#veil.quaternion.copy(camera.quaternion);
    this.#veil.position.copy(camera.position).addScaledVector(camera.getWorldDirection(FORWARD), distanceM);
    this.#veil.scale.set(half * camera.aspect * 1.01, half * 1.01, 1);
  }

  #drawGuides({ guides }: Look): void {
    for (const [segments, lines] of this.#lines) {
      if (guides.includes(segments)) continue;
      this.#scene.remove(lines);
      disposeLines(lines);
      this.#lines.delete(segments);
    }
    for (const segments of guides) {
      const lines = this.#lines.get(segments) ?? this.#addLines(segments);
      const [r, g, b, opacity] = segments.color;
      lines.material.color.setRGB(r, g, b);
      lines.material.opacity = opacity;
      if (segments.growing) grow(lines, segments.growing);
    }
  }

  #addLines(segments: Segments): Lines {
    const lines = linesOf(segments);
    this.#lines.set(segments, lines);
    this.#scene.add(lines);
    return lines;
  }

  destroy(): void {
    for (const lines of this.#lines.values()) disposeLines(lines);
    this.#points.dispose();
    this.#picture.dispose();
    this.#veil.geometry.dispose();
    this.#veil.material.dispose();
    this.renderer.dispose();
  }
}

const FORWARD = new THREE.Vector3();

type Lines = THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicNodeMaterial>;

function linesOf({ ends }: Segments): Lines {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(ends, 3));
  const material = new THREE.LineBasicNodeMaterial({ transparent: true, depthWrite: false });
  const lines = new THREE.LineSegments(geometry, material);
  lines.frustumCulled = false;
  lines.scale.set(1, -1, -1);
  return lines;
}

const TO_SENSOR = new THREE.Matrix4();

/** Shows the segments that there are by now, from where the sensor is now. */
function grow(lines: Lines, { count, version, toSensor }: NonNullable<Segments["growing"]>): void {
  const { geometry } = lines;
  if (geometry.userData.version !== version) geometry.getAttribute("position").needsUpdate = true;
  geometry.userData.version = version;
  geometry.setDrawRange(0, 2 * count);
  lines.visible = count > 0;
  lines.matrixAutoUpdate = false;
  lines.matrix.makeScale(1, -1, -1).multiply(matrixOf(toSensor, TO_SENSOR));
  lines.matrixWorldNeedsUpdate = true;
}

function disposeLines({ geometry, material }: Lines): void {
  geometry.dispose();
  material.dispose();
}
