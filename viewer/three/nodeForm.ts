import {
  attribute,
  cameraProjectionMatrix,
  modelViewMatrix,
  positionGeometry,
  sRGBTransferEOTF,
  transformNormalToView,
  transpose,
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
  DoubleSide,
  IndirectStorageBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  MeshBasicNodeMaterial,
  MeshLambertNodeMaterial,
  type Node,
  type Renderer,
} from "three/webgpu";
import { POINT_ARGS } from "../../stages/core/resources.ts";
import { type Lender, type PointForm, QUAD } from "./form.ts";
import { deviceOf, lendBuffer, NOTHING } from "./lend.ts";
import { MOST_PX } from "./pointSize.ts";

/** A word of a point: the bytes of three floats, then a colour. */
type Words = Record<"x" | "y" | "z" | "w", Node<"uint">>;

/** Computes a point's colour from its own (sRGB, 0 to 1) and its distance from the camera in metres. */
export type Tint = (color: Node<"vec3">, distance: Node<"float">) => Node<"vec3">;

const linear: Tint = (color) => sRGBTransferEOTF(color) as Node<"vec3">;

/**
 * How a `WebGPURenderer` draws points. `tint` gives the colour that the renderer works in; linear light if not given. `lit`: see
 * `PointsOptions`.
 */
export function nodeForm(renderer: Renderer, tint: Tint = linear, lit = false): PointForm {
  const spread = uniform(0);
  const words = attribute<"uvec4">("point", "uvec4");
  const place = placeOf(words);
  const depth = place.z.negate();
  const centre = cameraProjectionMatrix.mul(modelViewMatrix.mul(vec4(place, 1)));
  const focalPx = cameraProjectionMatrix
    .mul(vec4(0, 1, 0, 0))
    .y.mul(viewportSize.y)
    .div(2);
  const side = spread.mul(focalPx).mul(depth).div(centre.w).ceil().clamp(1, MOST_PX);
  const corner = positionGeometry.xy.mul(side).div(viewportSize).mul(centre.w);
  const material = lit ? new MeshLambertNodeMaterial() : new MeshBasicNodeMaterial();
  // The surface faces the sensor, which saw it.
  if (lit) material.normalNode = transformNormalToView(place.negate().normalize());
  material.vertexNode = vec4(centre.xy.add(corner), centre.zw);
  // For shadow maps and fog: the same square in space, turned towards the onlooker, not rounded to pixels.
  const outwards = transpose(modelViewMatrix)
    .mul(vec4(positionGeometry.xy, 0, 0))
    .xyz.normalize();
  material.positionNode = place.add(outwards.mul(spread).mul(depth).mul(Math.SQRT1_2));
  material.colorNode = vec4(varying(tint(colorOf(words), centre.w)), 1);
  material.shadowSide = DoubleSide;
  const lender = lenderFor(renderer);
  return { material, spread, ...(lender && { lender }) };
}

/** In Three.js' axes: the sensor's y is down and its z forward. */
function placeOf(words: Words): Node<"vec3"> {
  const float = (word: Node<"uint">) => uintBitsToFloat(word) as unknown as Node<"float">;
  return vec3(float(words.x), float(words.y).negate(), float(words.z).negate());
}

function colorOf(words: Words): Node<"vec3"> {
  const byte = (shift: number) => words.w.shiftRight(uint(shift)).bitAnd(uint(255)).toFloat().div(255);
  return vec3(byte(0), byte(8), byte(16));
}

/** Draws from compact's own buffer, as many as its own arguments say, so that no count is read back. */
function lenderFor(renderer: Renderer): Lender | undefined {
  const device = deviceOf(renderer);
  if (!device) return undefined;
  const words = new InstancedInterleavedBuffer(new Uint32Array(4), 4);
  const args = new IndirectStorageBufferAttribute(new Uint32Array(POINT_ARGS.size / 4), 1);
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(QUAD, 3));
  geometry.setAttribute("point", new InterleavedBufferAttribute(words, 4, 0));
  geometry.setIndirect(args, POINT_ARGS.drawQuads);
  // Three.js draws nothing of a geometry without instances; the real count is in the arguments.
  geometry.instanceCount = 1;
  return {
    device,
    geometry,
    lend(cloud) {
      lendBuffer(renderer, words, cloud?.buffer ?? NOTHING);
      lendBuffer(renderer, args, cloud?.args ?? NOTHING);
    },
  };
}
