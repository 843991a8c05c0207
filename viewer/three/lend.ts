import { ExternalTexture, type Renderer, type TextureDataType } from "three/webgpu";

/**
 * Makes Three.js draw from our buffer: the attribute keeps a stand-in array for its type and layout, and the renderer's
 * backend is told that the GPU buffer is there already. Nothing is copied. The buffer can be another at each draw.
 * Disposing of the geometry would destroy the buffer: lend it nothing first.
 */
export function lendBuffer(renderer: Renderer, attribute: object, buffer: GPUBuffer | typeof NOTHING): void {
  insideOf(renderer).get(attribute).buffer = buffer;
}

/** The WebGPU device that a renderer draws on; `undefined` where it draws with WebGL. Only after the renderer's `init`. */
export const deviceOf = (renderer: Renderer): GPUDevice | undefined => insideOf(renderer).device;

/** The members of a backend that Three.js' types leave out. */
const insideOf = (renderer: Renderer) =>
  renderer.backend as unknown as { readonly device?: GPUDevice; get(attribute: object): { buffer: unknown } };

/** A placeholder for a buffer that was returned to its owner. */
export const NOTHING = { destroy() {} };

/** Our texture as Three.js sees it. Disposing of it leaves the GPU texture alone. */
export function lendTexture(texture: GPUTexture, type: TextureDataType): ExternalTexture {
  const external = new ExternalTexture(texture);
  external.type = type;
  external.generateMipmaps = false;
  return external;
}
