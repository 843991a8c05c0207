import { firstValueFrom } from "rxjs";
import { webxrSource, type XrFrame, type XrGpuDepth, type XrSession } from "../../../sources/index.ts";

/** A texture of 2×2 texels in one of the forms in which WebXR hands out depth, with metres per value. */
type Make = (gl: WebGL2RenderingContext) => Partial<XrGpuDepth>;

const METRES = [0, 0.5, 1.234, 7];
const upload = (gl: WebGL2RenderingContext, layers: number, how: readonly number[], data: ArrayBufferView | null) => {
  const target = layers > 0 ? gl.TEXTURE_2D_ARRAY : gl.TEXTURE_2D;
  const [internal = 0, format = 0, type = 0] = how;
  gl.bindTexture(target, gl.createTexture());
  if (layers > 0) gl.texImage3D(target, 0, internal, 2, 2, layers, 0, format, type, data);
  else gl.texImage2D(target, 0, internal, 2, 2, 0, format, type, data);
  const texture = gl.getParameter(layers > 0 ? gl.TEXTURE_BINDING_2D_ARRAY : gl.TEXTURE_BINDING_2D);
  return { texture, textureType: layers > 0 ? "texture-array" : "texture-2d" };
};
const units = METRES.map((metres) => Math.round(metres * 1000));
/** The values of a depth buffer with these near and far planes at METRES. */
const between = (near: number, far: number) =>
  Uint16Array.from(METRES, (z) => (z === 0 ? 65535 : Math.round((65535 * (1 - near / z)) / (1 - near / far))));

const forms: Readonly<Record<string, readonly [format: string, make: Make]>> = {
  bytes: [
    "luminance-alpha",
    (gl) => {
      const bytes = new Uint8Array(Uint16Array.from(units).buffer);
      return upload(gl, 0, [gl.LUMINANCE_ALPHA, gl.LUMINANCE_ALPHA, gl.UNSIGNED_BYTE], bytes);
    },
  ],
  whole: [
    "unsigned-short",
    (gl) => upload(gl, 0, [gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT], Uint16Array.from(units)),
  ],
  floats: [
    "float32",
    (gl) => {
      const layers = Float32Array.of(9, 9, 9, 9, ...METRES.map((metres) => metres * 1000));
      return { ...upload(gl, 2, [gl.R32F, gl.RED, gl.FLOAT], layers), imageIndex: 1 };
    },
  ],
  planes: [
    "unsigned-short",
    (gl) => {
      const depth = [gl.DEPTH_COMPONENT16, gl.DEPTH_COMPONENT, gl.UNSIGNED_SHORT];
      return { ...upload(gl, 1, depth, between(0.1, 20)), imageIndex: 0, depthNear: 0.1, depthFar: 20 };
    },
  ],
  infinite: [
    "unsigned-short",
    (gl) => {
      const depth = [gl.DEPTH_COMPONENT16, gl.DEPTH_COMPONENT, gl.UNSIGNED_SHORT];
      return { ...upload(gl, 1, depth, between(0.1, Infinity)), depthNear: 0.1, depthFar: Infinity };
    },
  ],
};

/** The millimetres that `webxrSource` reads of each form, and WebGL's complaint, if any. */
export async function gpuDepth(): Promise<Record<string, readonly number[]>> {
  const told: Record<string, readonly number[]> = {};
  for (const [name, [depthDataFormat, make]] of Object.entries(forms)) {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) throw new Error("no WebGL 2");
    const depth = { width: 2, height: 2, rawValueToMeters: 0.001, ...make(gl) } as XrGpuDepth;
    const views = [{ projectionMatrix: Float32Array.of(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0) }];
    const frame: XrFrame = { getViewerPose: () => ({ views }), getDepthInformation: () => null };
    const session: XrSession = {
      ...{ depthUsage: "gpu-optimized", depthDataFormat },
      requestReferenceSpace: async () => "viewer",
      requestAnimationFrame: (callback) => requestAnimationFrame((time) => callback(time, frame)),
      cancelAnimationFrame: (handle) => cancelAnimationFrame(handle),
      end: async () => {},
      addEventListener() {},
    };
    const source = await webxrSource(session, { gl, binding: { getDepthInformation: () => depth } });
    const { depth: read } = await firstValueFrom(source.frames$);
    told[name] = [...read.data, gl.getError()];
    await source.close();
  }
  return told;
}
