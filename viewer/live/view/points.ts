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
  IndirectStorageBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  type Node,
  NodeMaterial,
  type Renderer,
} from "three/webgpu";
import { POINT_ARGS, type PointCloud } from "../../../stages/resources.ts";
import type { BlurTint } from "./blurTint.ts";
import { lendBuffer, NOTHING } from "./foreign.ts";
import { MOST_PX } from "./pointSize.ts";

/** Two triangles over [-1, 1]²: `POINT_ARGS.drawQuads` asks for six vertices an instance. */
const QUAD = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]);

/** A word of a point: the bytes of three floats, then a colour. */
type Words = Record<"x" | "y" | "z" | "w", Node<"uint">>;

/** The compacted points as squares, drawn from compact's own buffer, as many as its own arguments say, so that no count is read back. */
export class PlainPoints {
  /** In the sensor's axes. */
  readonly object: Mesh<InstancedBufferGeometry, NodeMaterial>;
  readonly #growth = uniform(1);
  readonly #words = new InstancedInterleavedBuffer(new Uint32Array(4), 4);
  readonly #args = new IndirectStorageBufferAttribute(new Uint32Array(POINT_ARGS.size / 4), 1);

  constructor(tint: BlurTint) {
    const words = attribute<"uvec4">("point", "uvec4");
    const place = placeOf(words);
    const centre = cameraProjectionMatrix.mul(modelViewMatrix.mul(vec4(place, 1)));
    const side = this.#growth.mul(place.z).div(centre.w).ceil().clamp(1, MOST_PX);
    const corner = positionGeometry.xy.mul(side).div(viewportSize).mul(centre.w);
    const squares = new InstancedBufferGeometry();
    squares.setAttribute("position", new BufferAttribute(QUAD, 3));
    squares.setAttribute("point", new InterleavedBufferAttribute(this.#words, 4, 0));
    squares.setIndirect(this.#args, POINT_ARGS.drawQuads);
    // Three.js draws nothing of a geometry without instances; the real count is in the arguments.
    squares.instanceCount = 1;
    this.object = new Mesh(squares, materialOf(vec4(centre.xy.add(corner), centre.zw), centre.w, words, tint));
    this.object.frustumCulled = false;
    this.object.scale.set(1, -1, -1);
  }

  show(renderer: Renderer, cloud: PointCloud | undefined): void {
    lendBuffer(renderer, this.#words, cloud?.buffer ?? NOTHING);
    lendBuffer(renderer, this.#args, cloud?.args ?? NOTHING);
  }

  /** As pointSize.ts has it. */
  grow(growth: number): void {
    this.#growth.value = growth;
  }

  dispose(renderer: Renderer): void {
    this.show(renderer, undefined);
    this.object.geometry.dispose();
    this.object.material.dispose();
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
