import { attribute, transformNormalToView, uint, uintBitsToFloat, varying, vec3, vec4 } from "three/tsl";
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  IndirectStorageBufferAttribute,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  MeshLambertNodeMaterial,
  type Node,
  type Renderer,
} from "three/webgpu";
import type { GpuMesh } from "../../../../scan/mesh/gpuMesh.ts";
import { lendBuffer, NOTHING } from "../../../three/lend.ts";

/** Words of a vertex (shaders/scan/mesh.wgsl), and of the arguments of an indexed draw. */
const VERTEX = 5;
const ARGUMENTS = 5;

/** Draws the mesh of a scan from the GPU's own buffers, as many triangles as the GPU says. */
export class LentMesh {
  readonly object: Mesh;
  readonly #vertices = new InterleavedBuffer(new Uint32Array(VERTEX), VERTEX);
  readonly #corners = new BufferAttribute(new Uint32Array(3), 1);
  readonly #args = new IndirectStorageBufferAttribute(new Uint32Array(ARGUMENTS), 1);

  constructor(
    readonly renderer: Renderer,
    /** The colour of a vertex, of its own colour and how well it was seen, 0 to 1. */
    coloured: (seen: Node<"vec4">) => Node<"vec3">,
  ) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new InterleavedBufferAttribute(this.#vertices, 4, 0));
    geometry.setAttribute("seen", new InterleavedBufferAttribute(this.#vertices, 1, 4));
    geometry.setIndex(this.#corners);
    geometry.setIndirect(this.#args);
    const words = attribute<"uvec4">("position", "uvec4");
    const float = (word: Node<"uint">) => uintBitsToFloat(word) as unknown as Node<"float">;
    const byte = (word: Node<"uint">) => word.bitAnd(uint(255)).toFloat();
    // The highest bit of a byte is its sign.
    const signed = (shift: number) => byte(words.w.shiftRight(uint(shift)).add(uint(128))).sub(128);
    const seen = attribute<"uint">("seen", "uint");
    const material = new MeshLambertNodeMaterial({ side: DoubleSide });
    material.positionNode = vec3(float(words.x), float(words.y), float(words.z));
    material.normalNode = varying(transformNormalToView(vec3(signed(0), signed(8), signed(16)))).normalize();
    const [r, g, b, well] = [0, 8, 16, 24].map((shift) => byte(seen.shiftRight(uint(shift))));
    material.colorNode = coloured(varying(vec4(r, g, b, well).div(255)) as Node<"vec4">);
    this.object = new Mesh(geometry, material);
    // The bounds are not known without a read-back.
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  lend(mesh: GpuMesh | undefined): void {
    this.object.visible = mesh !== undefined;
    for (const buffer of [this.#vertices, this.#corners])
      lendBuffer(this.renderer, buffer, mesh?.buffers.mesh ?? NOTHING);
    lendBuffer(this.renderer, this.#args, mesh?.buffers.drawn ?? NOTHING);
  }

  dispose(): void {
    this.lend(undefined);
    this.object.geometry.dispose();
    (this.object.material as MeshLambertNodeMaterial).dispose();
  }
}
