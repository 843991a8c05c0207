import {
  attribute,
  cameraProjectionMatrix,
  modelViewMatrix,
  positionGeometry,
  uint,
  uintBitsToFloat,
  uniform,
  varying,
  vec3,
  vec4,
  viewportSize,
} from "three/tsl";
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  IndirectStorageBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  type Node,
  NodeMaterial,
  Points,
  type Renderer,
} from "three/webgpu";
import { POINT_ARGS, type PointCloud } from "../../../stages/resources.ts";
import type { BlurTint } from "./blurTint.ts";
import { lendBuffer, NOTHING } from "./foreign.ts";

/** Two triangles over [-1, 1]²: `POINT_ARGS.drawQuads` asks for six vertices an instance. */
const QUAD = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]);

/** A word of a point: the bytes of three floats, then a colour. */
type Words = Record<"x" | "y" | "z" | "w", Node<"uint">>;

/**
 * The compacted points drawn from compact's own buffer, as many as its own arguments say, so that no count is read back.
 * One pixel a point is the GPU's point primitive; larger ones are squares, which a software GPU draws slowly.
 */
export class PlainPoints {
  /** In the sensor's axes. */
  readonly object = new Group();
  readonly #size = uniform(2);
  readonly #dotWords = new InterleavedBuffer(new Uint32Array(4), 4);
  readonly #squareWords = new InstancedInterleavedBuffer(new Uint32Array(4), 4);
  readonly #args = new IndirectStorageBufferAttribute(new Uint32Array(POINT_ARGS.size / 4), 1);
  readonly #dots: Points;
  readonly #squares: Mesh;

  constructor(tint: BlurTint) {
    const words = attribute<"uvec4">("point", "uvec4");
    const centre = cameraProjectionMatrix.mul(modelViewMatrix.mul(vec4(placeOf(words), 1)));

    const dots = new BufferGeometry();
    dots.setAttribute("point", new InterleavedBufferAttribute(this.#dotWords, 4, 0));
    dots.setIndirect(this.#args, POINT_ARGS.drawPoints);
    // Three.js draws nothing of a geometry without positions unless it is told a count; the real one is in the arguments.
    dots.setDrawRange(0, 1);
    this.#dots = new Points(dots, materialOf(centre, centre.w, words, tint));

    const squares = new InstancedBufferGeometry();
    squares.setAttribute("position", new BufferAttribute(QUAD, 3));
    squares.setAttribute("point", new InterleavedBufferAttribute(this.#squareWords, 4, 0));
    squares.setIndirect(this.#args, POINT_ARGS.drawQuads);
    squares.instanceCount = 1;
    const corner = positionGeometry.xy.mul(this.#size).div(viewportSize).mul(centre.w);
    this.#squares = new Mesh(squares, materialOf(vec4(centre.xy.add(corner), centre.zw), centre.w, words, tint));

    for (const object of [this.#dots, this.#squares]) object.frustumCulled = false;
    this.object.add(this.#dots, this.#squares);
    this.object.scale.set(1, -1, -1);
  }

  show(renderer: Renderer, cloud: PointCloud | undefined): void {
    const buffer = cloud?.buffer ?? NOTHING;
    lendBuffer(renderer, this.#dotWords, buffer);
    lendBuffer(renderer, this.#squareWords, buffer);
    lendBuffer(renderer, this.#args, cloud?.args ?? NOTHING);
  }

  setSize(px: number): void {
    this.#size.value = px;
    this.#dots.visible = px <= 1;
    this.#squares.visible = px > 1;
  }

  dispose(renderer: Renderer): void {
    this.show(renderer, undefined);
    for (const object of [this.#dots, this.#squares]) {
      object.geometry.dispose();
      (object.material as NodeMaterial).dispose();
    }
  }
}

function placeOf(words: Words): Node<"vec3"> {
  const float = (word: Node<"uint">) => uintBitsToFloat(word) as unknown as Node<"float">;
  return vec3(float(words.x), float(words.y), float(words.z));
}

function materialOf(clip: Node<"vec4">, distance: Node<"float">, words: Words, tint: BlurTint): NodeMaterial {
  const byte = (shift: number) => words.w.shiftRight(uint(shift)).bitAnd(uint(255)).toFloat().div(255);
  const material = new NodeMaterial();
  material.vertexNode = clip;
  material.fragmentNode = vec4(varying(tint.tint(vec3(byte(0), byte(8), byte(16)), distance)), 1);
  return material;
}
