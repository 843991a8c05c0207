import type { NodeMaterial, QuadMesh, RenderTarget, WebGPURenderer } from "three/webgpu";
import { encode, LINEAR, type Rgba } from "./light.ts";
import type { Shot } from "./shot.ts";

// Three.js' DepthOfFieldNode, run by its own renderer on the device that our kernels use.

/** The node's lens: it blurs by smoothstep(0, focalLength, |z − focus|) · bokehScale px. */
export interface PeerLens {
  readonly focalLength: number;
  readonly bokehScale: number;
}

/** The part of a shot that the node needs. */
type Scene = Pick<Shot, "image"> & { readonly view: Pick<Shot["view"], "focusM"> };

export interface Peer {
  readonly name: string;
  draw(shot: Scene, lens: PeerLens): Promise<Rgba>;
  destroy(): void;
}

/** Makes Three.js' renderer on our device. The renderer requires a canvas, though nothing is drawn on it. */
export async function openPeer(device: GPUDevice, width: number, height: number): Promise<Peer> {
  // The renderer's clock looks for a `window`, which Node lacks.
  const scope = globalThis as { self?: unknown; requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
  scope.self ??= globalThis;
  scope.requestAnimationFrame ??= (step: () => void) => setTimeout(step, 16);
  scope.cancelAnimationFrame ??= clearTimeout;
  const three = await import("three/webgpu");
  const { texture, uniform } = await import("three/tsl");
  const { dof } = await import("three/addons/tsl/display/DepthOfFieldNode.js");
  const context = { configure() {}, unconfigure() {} };
  const canvas = {
    width,
    height,
    style: {},
    addEventListener() {},
    removeEventListener() {},
    getContext: () => context,
  };
  const renderer: WebGPURenderer = new three.WebGPURenderer({
    device,
    canvas: canvas as unknown as HTMLCanvasElement,
    antialias: false,
  });
  await renderer.init();
  const target: RenderTarget = new three.RenderTarget(width, height, { type: three.HalfFloatType, depthBuffer: false });
  const { toHalfFloat, fromHalfFloat } = three.DataUtils;

  const colour = new three.DataTexture(
    new Uint16Array(width * height * 4),
    width,
    height,
    three.RGBAFormat,
    three.HalfFloatType,
  );
  colour.minFilter = three.LinearFilter;
  colour.magFilter = three.LinearFilter;
  const distance = new three.DataTexture(
    new Float32Array(width * height),
    width,
    height,
    three.RedFormat,
    three.FloatType,
  );
  const [focus, focalLength, bokehScale] = [uniform(1), uniform(1), uniform(1)];
  const material: NodeMaterial = new three.NodeMaterial();
  material.fragmentNode = dof(texture(colour), texture(distance).r.negate(), focus, focalLength, bokehScale);
  const quad: QuadMesh = new three.QuadMesh(material);
  return {
    name: `Three.js ${three.REVISION} DepthOfFieldNode`,
    async draw({ image, view }, lens) {
      const words = colour.image.data as Uint16Array;
      for (let i = 0; i < words.length; i++) words[i] = toHalfFloat(i % 4 === 3 ? 1 : LINEAR[image.rgba[i]]);
      (distance.image.data as Float32Array).set(filled(image.metres, width));
      colour.needsUpdate = true;
      distance.needsUpdate = true;
      focus.value = view.focusM;
      focalLength.value = lens.focalLength;
      bokehScale.value = lens.bokehScale;
      renderer.setRenderTarget(target);
      quad.render(renderer);
      const read = (await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height)) as Uint16Array;
      // Rows are padded to 256 bytes; a pixel takes eight.
      const stride = Math.ceil(width / 32) * 32 * 4;
      const rgb = new Float32Array(width * height * 3);
      for (let p = 0; p < width * height; p++) {
        const from = Math.floor(p / width) * stride + (p % width) * 4;
        for (let c = 0; c < 3; c++) rgb[3 * p + c] = fromHalfFloat(read[from + c]);
      }
      return encode({ width, height, rgb });
    },
    destroy() {
      target.dispose();
      material.dispose();
      colour.dispose();
      distance.dispose();
      renderer.dispose();
    },
  };
}

/** Distances with holes filled from the left, then from the right, since the node has no value for "unknown". */
function filled(metres: Float32Array, width: number): Float32Array {
  const result = metres.slice();
  for (let row = 0; row < result.length; row += width) {
    for (let x = 1; x < width; x++) result[row + x] ||= result[row + x - 1];
    for (let x = width - 2; x >= 0; x--) result[row + x] ||= result[row + x + 1];
  }
  return result;
}

/** The shares of the fitted blur that are tried: the node's second pass widens the first, so its discs come out larger than set. */
const SHARES = [1, 0.75, 0.55, 0.4] as const;

/**
 * The node's settings that come nearest to the thin lens on this picture: the blur radius that fits the thin lens's best over the pixels'
 * distances (least squares), and shares of that radius.
 */
export function lensesFor({ image, lens, view }: Scene & Pick<Shot, "lens">): PeerLens[] {
  const distances = image.metres.filter((z, p) => z > 0 && p % 7 === 0);
  let best = { focalLength: 1, bokehScale: 0, error: Infinity };
  for (let focalLength = 0.05; focalLength < 40; focalLength *= 1.15) {
    let [ab, bb, aa] = [0, 0, 0];
    for (const z of distances) {
      const t = Math.min(Math.abs(z - view.focusM) / focalLength, 1);
      const [a, b] = [lens.blur * Math.abs(lens.inverseFocus - 1 / z), t * t * (3 - 2 * t)];
      ab += a * b;
      bb += b * b;
      aa += a * a;
    }
    const bokehScale = bb > 0 ? ab / bb : 0;
    const error = aa - bokehScale * ab;
    if (error < best.error) best = { focalLength, bokehScale, error };
  }
  const { focalLength, bokehScale } = best;
  return SHARES.map((share) => ({ focalLength, bokehScale: bokehScale * share }));
}
