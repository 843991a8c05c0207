import { SourceError } from "../../core/source.ts";

/** One of a frame's views: a phone has one. */
export interface XrView {
  /** Column-major, as in WebGL. */
  readonly projectionMatrix: Float32Array;
}

/** Depth of one view, as WebXR gives it to the CPU. */
export interface XrDepth {
  /** u16, row by row; 0 is invalid. */
  readonly data: ArrayBuffer;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Metres per unit. */
  readonly rawValueToMeters: number;
  /** The transform from the view to the buffer, both from 0 to 1 across and down; column-major. If not given they are alike. */
  readonly normDepthBufferFromNormView?: Readonly<Record<"matrix", Float32Array>>;
}

/** Depth of one view as WebXR gives it to the GPU. */
export interface XrGpuDepth extends Omit<XrDepth, "data"> {
  /** The texture or array that holds this frame's depth, in the session's format. */
  readonly texture: WebGLTexture;
  /** "texture-array" on headsets, where each eye has a layer. */
  readonly textureType?: string;
  /** The view's layer of an array. */
  readonly imageIndex?: number | null;
  /** If given, as by Quest's browser, the texture is a depth buffer. Its near plane is this far away, m. */
  readonly depthNear?: number;
  /** The distance of the depth buffer's far plane, m; may be infinite. */
  readonly depthFar?: number;
}

/** The part of WebXR's `XRWebGLBinding` that is used here. */
export interface XrDepthBinding {
  /** Depth as a view sees it, or nothing before the device has any. */
  getDepthInformation(view: XrView): XrGpuDepth | undefined | null;
}

/** Metres from a texel, by the session's `depthDataFormat`: two bytes, 16 bits, or a float. */
const METRES: Readonly<Record<string, string>> = {
  "luminance-alpha": "(texel.r * 255.0 + texel.a * 65280.0) * scale",
  "unsigned-short": "texel.r * scale",
  float32: "texel.r * scale",
  planes: "texel.r > 0.0 && texel.r < 1.0 ? planes.x / (1.0 - texel.r * planes.y) : 0.0",
};

const VERTICES = `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** Writes whole millimetres, the low byte into red and the high byte into green. */
const fragments = (sampler: string, metres: string) => `#version 300 es
precision highp float;
precision highp int;
precision highp ${sampler};
uniform ${sampler} image;
uniform int layer;
uniform float scale;
uniform vec2 planes;
out vec4 code;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 texel = vec4(texelFetch(image, ${/Array/.test(sampler) ? "ivec3(at, layer)" : "at"}, 0));
  float metres = ${metres};
  float mm = metres > 0.0 && metres < 65.5354 ? floor(metres * 1000.0 + 0.5) : 0.0;
  code = vec4(mod(mm, 256.0), floor(mm / 256.0), 0.0, 0.0) / 255.0;
}`;

/**
 * Reads depth for the GPU (`gpu-optimized`), the only kind that headsets have, back to the CPU: one draw turns the view's texture into
 * whole millimetres, which `readPixels` copies. Source: WebXR Depth Sensing Module (W3C).
 */
export class GpuDepthReader {
  readonly #programs = new Map<string, WebGLProgram>();
  #framebuffer: WebGLFramebuffer | null = null;
  #target: WebGLRenderbuffer | null = null;
  #sampler: WebGLSampler | null = null;
  #bytes = new Uint8Array(0);
  #size = "";

  constructor(
    /** A context for WebXR (`xrCompatible`) that nobody else draws with. */
    readonly gl: WebGL2RenderingContext,
    readonly binding: XrDepthBinding,
    /** The session's `depthDataFormat`. */
    readonly format: string,
  ) {}

  /** The view's depth in millimetres; nothing before the device has any. */
  read(view: XrView): XrDepth | undefined {
    const { gl } = this;
    const depth = this.binding.getDepthInformation(view);
    if (!depth) return undefined;
    const { width, height, texture, textureType, imageIndex, depthNear: near, depthFar: far } = depth;
    const kind = near === undefined ? this.format : "planes";
    const isArray = textureType === "texture-array";
    const program = this.#programOf(`${kind === "unsigned-short" ? "u" : ""}sampler2D${isArray ? "Array" : ""}`, kind);
    this.#aim(width, height);
    gl.useProgram(program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindSampler(0, this.#plain());
    gl.bindTexture(isArray ? gl.TEXTURE_2D_ARRAY : gl.TEXTURE_2D, texture);
    const at = (name: string) => gl.getUniformLocation(program, name);
    gl.uniform1i(at("layer"), imageIndex ?? 0);
    gl.uniform1f(at("scale"), depth.rawValueToMeters);
    gl.uniform2f(at("planes"), near ?? 0, far === undefined || far === Infinity ? 1 : 1 - (near ?? 0) / far);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, this.#bytes);
    const data = new Uint16Array(width * height);
    for (let i = 0; i < data.length; i++) data[i] = this.#bytes[4 * i] | (this.#bytes[4 * i + 1] << 8);
    const { normDepthBufferFromNormView: turn } = depth;
    return {
      data: data.buffer,
      width,
      height,
      rawValueToMeters: 0.001,
      ...(turn && { normDepthBufferFromNormView: turn }),
    };
  }

  close(): void {
    const { gl } = this;
    for (const program of this.#programs.values()) gl.deleteProgram(program);
    gl.deleteFramebuffer(this.#framebuffer);
    gl.deleteRenderbuffer(this.#target);
    gl.deleteSampler(this.#sampler);
  }

  /** A texture with one level is incomplete by WebGL's usual filter. */
  #plain(): WebGLSampler | null {
    const { gl } = this;
    if (this.#sampler) return this.#sampler;
    const sampler = gl.createSampler();
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      if (sampler) gl.samplerParameteri(sampler, name, gl.NEAREST);
    this.#sampler = sampler;
    return sampler;
  }

  /** Has the next draw write into an image of this size. */
  #aim(width: number, height: number): void {
    const { gl } = this;
    if (this.#size !== `${width}×${height}`) {
      this.#size = `${width}×${height}`;
      this.#bytes = new Uint8Array(4 * width * height);
      this.#framebuffer ??= gl.createFramebuffer();
      this.#target ??= gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, this.#target);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.#framebuffer);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, this.#target);
      gl.viewport(0, 0, width, height);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#framebuffer);
  }

  #programOf(sampler: string, kind: string): WebGLProgram {
    const { gl } = this;
    const found = this.#programs.get(sampler + kind);
    if (found) return found;
    const metres = METRES[kind];
    if (!metres) throw new SourceError(`WebXR gives depth in the format ${kind}, which is not known (DEPTH_SENSING)`);
    const program = gl.createProgram();
    for (const [type, text] of [
      [gl.VERTEX_SHADER, VERTICES],
      [gl.FRAGMENT_SHADER, fragments(sampler, metres)],
    ] as const) {
      const shader = gl.createShader(type) as WebGLShader;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new SourceError(`WebXR's depth cannot be read by this GPU: ${gl.getProgramInfoLog(program)}`);
    this.#programs.set(sampler + kind, program);
    return program;
  }
}
