import { attribute, clamp, mix, uniform, vec3 } from "three/tsl";
import * as THREE from "three/webgpu";
import type { Intrinsics } from "../../../../core/frame.ts";
import { pointAt } from "../../../../core/geometry.ts";
import type { Rigid } from "../../../../core/pose.ts";
import type { Gpu } from "../../../../pipeline/index.ts";
import type { Chunk } from "../../../../scan/mesh/chunks.ts";
import type { GpuMesh } from "../../../../scan/mesh/gpuMesh.ts";
import type { Box } from "../../../../scan/mesh/tidy.ts";
import { GROUND } from "../../view/surface/ground.ts";
import { LentMesh } from "./lentMesh.ts";

/** Badly seen surfaces are tinted with this colour. */
const BADLY: readonly [number, number, number] = [0.93, 0.42, 0.16];
/** The sensor's pyramid, and the same when the sensor is lost. */
const SENSOR = 0xf2bf6e;
const LOST = 0xff5a4a;
/** The length of the sensor's pyramid, m. */
const PYRAMID_M = 0.12;

/** Draws a model that grows, with the sensor that sees it, by Three.js: on the pipeline's device, or by WebGL. */
export class ModelView {
  readonly #scene = new THREE.Scene();
  /** In the axes of the first camera: x right, y down, z forward. */
  readonly #model = new THREE.Group();
  readonly #meshes = new Map<number, THREE.Mesh>();
  readonly #material = new THREE.MeshLambertNodeMaterial({ side: THREE.DoubleSide });
  readonly #lent: LentMesh;
  readonly #tint = uniform(1);
  readonly #light = new THREE.DirectionalLight(0xffffff, 2.2);
  readonly #sensor = new THREE.LineSegments(
    new THREE.BufferGeometry(),
    new THREE.LineBasicNodeMaterial({ color: SENSOR }),
  );
  readonly #crop = new THREE.Box3Helper(new THREE.Box3(), SENSOR);

  private constructor(readonly renderer: THREE.WebGPURenderer) {
    this.#scene.background = new THREE.Color().setRGB(...GROUND);
    this.#model.scale.set(1, -1, -1);
    this.#sensor.matrixAutoUpdate = false;
    this.#sensor.visible = this.#crop.visible = false;
    this.#sensor.frustumCulled = this.#crop.frustumCulled = false;
    const coloured = (seen: THREE.Node<"vec4">) => {
      const well = clamp(seen.w.mul(1.2).add(0.1), 0, 1) as THREE.Node<"float">;
      return mix(seen.xyz, vec3(...BADLY), well.oneMinus().mul(this.#tint).mul(0.8));
    };
    this.#material.colorNode = coloured(attribute<"vec4">("seen", "vec4"));
    this.#lent = new LentMesh(renderer, coloured);
    this.#model.add(this.#sensor, this.#crop, this.#lent.object);
    this.#scene.add(this.#model, new THREE.HemisphereLight(0xffffff, 0x8a8d94, 1.6), this.#light);
  }

  /** Rejects where neither WebGPU nor WebGL draws on this canvas. */
  static async open(canvas: HTMLCanvasElement, gpu: Gpu | null): Promise<ModelView> {
    // The page's colours are display values, which Three.js draws as they are.
    THREE.ColorManagement.enabled = false;
    const on = gpu ? { device: gpu.device } : { forceWebGL: true };
    const renderer = new THREE.WebGPURenderer({
      canvas,
      ...on,
      antialias: gpu !== null && !gpu.software,
      alpha: false,
    });
    renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    await renderer.init();
    renderer.onDeviceLost = () => {};
    return new ModelView(renderer);
  }

  /** How many triangles of `put` are drawn. */
  get triangles(): number {
    let sum = 0;
    for (const { geometry } of this.#meshes.values()) sum += (geometry.index?.count ?? 0) / 3;
    return sum;
  }

  /** The box around what was `put`, in the axes of the first camera, m; `undefined` before there is any. */
  get bounds(): Box | undefined {
    const box = new THREE.Box3();
    for (const { geometry } of this.#meshes.values()) if (geometry.boundingBox) box.union(geometry.boundingBox);
    return box.isEmpty() ? undefined : ([...box.min, ...box.max] as unknown as Box);
  }

  set tint(strength: number) {
    this.#tint.value = strength;
  }

  /** Puts a part of the mesh in the place of the one with its key. */
  put({ key, positions, normals, colours, indices }: Chunk): void {
    const before = this.#meshes.get(key);
    if (before) {
      before.geometry.dispose();
      this.#model.remove(before);
      this.#meshes.delete(key);
    }
    if (indices.length === 0) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    // WebGPU has no attributes of three bytes, so the fourth is skipped.
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 4, true));
    geometry.setAttribute("seen", new THREE.BufferAttribute(colours, 4, true));
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
    const mesh = new THREE.Mesh(geometry, this.#material);
    this.#meshes.set(key, mesh);
    this.#model.add(mesh);
  }

  /** Draws a mesh from its own buffers on this device, from now on, or none. */
  lend(mesh: GpuMesh | undefined): void {
    this.#lent.lend(mesh);
  }

  /** Draws the sensor's pyramid where it was when it saw a frame. */
  sensor(toWorld: Rigid, lens: Intrinsics): void {
    this.#sensor.geometry.setAttribute("position", new THREE.BufferAttribute(pyramidOf(lens), 3));
    this.#sensor.matrix.copy(matrixOf(toWorld));
    this.#sensor.visible = true;
  }

  set isLost(isLost: boolean) {
    (this.#sensor.material as THREE.LineBasicNodeMaterial).color.setHex(isLost ? LOST : SENSOR);
  }

  /** Draws the box to which the model will be cropped. */
  set crop(crop: Box | undefined) {
    this.#crop.visible = crop !== undefined;
    if (!crop) return;
    this.#crop.box.min.fromArray(crop, 0);
    this.#crop.box.max.fromArray(crop, 3);
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(width, height, false);
  }

  draw(camera: THREE.PerspectiveCamera): void {
    // The light comes from over the viewer's shoulder.
    this.#light.position.set(0.4, 0.6, 1).applyQuaternion(camera.quaternion);
    this.renderer.render(this.#scene, camera);
  }

  clear(): void {
    for (const mesh of this.#meshes.values()) {
      mesh.geometry.dispose();
      this.#model.remove(mesh);
    }
    this.#meshes.clear();
    this.#sensor.visible = false;
  }

  dispose(): void {
    this.clear();
    this.#lent.dispose();
    this.#material.dispose();
    this.#sensor.geometry.dispose();
    this.#crop.dispose();
    this.renderer.dispose();
  }
}

const matrixOf = (m: Rigid): THREE.Matrix4 =>
  new THREE.Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);

/** Where a sensor looks from, and where it looks to, in Three.js' axes. */
export function sightOf(m: Rigid): { readonly eye: THREE.Vector3; readonly forward: THREE.Vector3 } {
  return { eye: new THREE.Vector3(m[3], -m[7], -m[11]), forward: new THREE.Vector3(m[2], -m[6], -m[10]).normalize() };
}

/** The edges of a sensor's field of view. */
function pyramidOf(intrinsics: Intrinsics): Float32Array {
  const { width, height } = intrinsics;
  const corners = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ].map(([x, y]) => pointAt(intrinsics, x, y, PYRAMID_M));
  return Float32Array.from(corners.flatMap((corner, i) => [0, 0, 0, ...corner, ...corner, ...corners[(i + 1) % 4]]));
}
