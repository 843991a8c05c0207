import {
  cameraFar,
  cameraNear,
  float,
  ivec2,
  positionGeometry,
  select,
  texture,
  textureLoad,
  uniform,
  varying,
  vec2,
  vec4,
  viewZToPerspectiveDepth,
} from "three/tsl";
import {
  BufferAttribute,
  BufferGeometry,
  FloatType,
  Mesh,
  NodeMaterial,
  Texture,
  UnsignedByteType,
  Vector2,
} from "three/webgpu";
import type { Picture } from "../../../../stages/core/resources.ts";
import { lendTexture } from "../../../three/lend.ts";
import type { BlurTint } from "./blurTint.ts";

/** One triangle that covers the window. */
const CORNERS = new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]);

/** Draws dofSplat's picture over the whole window with its depth, so that other objects of the scene stand before or behind it. */
export class PicturePass {
  readonly object: Mesh;
  readonly #size = uniform(new Vector2(1, 1));
  readonly #color;
  readonly #depth;
  readonly #material = new NodeMaterial();
  #shown: Picture | undefined;

  constructor(tint: BlurTint) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(CORNERS, 3));
    const at = varying(positionGeometry.xy.mul(vec2(0.5, -0.5)).add(0.5));
    this.#color = texture(new Texture(), at);
    this.#depth = textureLoad(new Texture(), ivec2(at.mul(this.#size)));
    const z = this.#depth.x;
    this.#material.vertexNode = vec4(positionGeometry.xy, 0, 1);
    this.#material.fragmentNode = vec4(tint.tint(this.#color.rgb, z), 1);
    this.#material.depthNode = select(
      z.greaterThan(0),
      viewZToPerspectiveDepth(z.negate(), cameraNear, cameraFar),
      float(1),
    );
    this.object = new Mesh(geometry, this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = -1;
  }

  /** The textures stay the same from frame to frame, until the pipeline rebuilds its stages. */
  show(picture: Picture | undefined): void {
    if (!picture || picture.color === this.#shown?.color) return;
    this.#shown = picture;
    this.#size.value.set(picture.color.width, picture.color.height);
    this.#color.value.dispose();
    this.#depth.value.dispose();
    this.#color.value = lendTexture(picture.color, UnsignedByteType);
    this.#depth.value = lendTexture(picture.depth, FloatType);
  }

  dispose(): void {
    this.#color.value.dispose();
    this.#depth.value.dispose();
    this.object.geometry.dispose();
    this.#material.dispose();
  }
}
