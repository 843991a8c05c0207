/** One frame as it was read back. Depth has 0 where there is no measurement. */
export interface Pixels {
  /** Row-major, `width` × `height`. */
  readonly depth: Uint16Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  /** The colour video's frame at the same moment, RGBA, where one was given. */
  readonly color?: { readonly rgba: Uint8Array<ArrayBuffer>; readonly width: number; readonly height: number };
}

const VERTEX = /* glsl */ `#version 300 es
void main() {
  // One triangle that covers the whole target.
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/** Each texel of the target gets the bytes of two neighbouring values, in the order of a little-endian u16 array. */
const PACK = /* glsl */ `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D image;
out vec4 bytes;
uint valueAt(int i) {
  ivec2 size = textureSize(image, 0);
  if (i >= size.x * size.y) return 0u;
  uint value = uint(texelFetch(image, ivec2(i % size.x, i / size.x), 0).r * 65535.0 + 0.5);
  // Cameras write 65535 where they measured nothing.
  return value == 65535u ? 0u : value;
}
void main() {
  int i = 2 * (int(gl_FragCoord.y) * textureSize(image, 0).x + int(gl_FragCoord.x));
  uint a = valueAt(i);
  uint b = valueAt(i + 1);
  bytes = vec4(a & 255u, a >> 8, b & 255u, b >> 8) / 255.0;
}`;

/** Frames that may be on their way from the GPU at a time. */
const SLOTS = 3;
/** How often the oldest frame on its way is asked for, ms. */
const POLL_MS = 2;

/** A pixel buffer, and how many bytes it has been given. */
interface Store {
  readonly buffer: WebGLBuffer;
  bytes: number;
}

interface Slot {
  readonly depth: Store;
  readonly color: Store;
}

interface Flight {
  readonly slot: Slot;
  readonly sync: WebGLSync;
  readonly take: (slot: Slot) => void;
}

/**
 * Reads videos back without waiting for the GPU. Chromium uploads a 16-bit video frame as value/65535 to an R32F texture and to no other
 * format; a shader turns that into bytes again, which go through a ring of pixel buffers to the frame's own array, the only copy:
 *
 *     frame → R32F texture → RGBA8, two values a texel → pixel buffer … fence … → Uint16Array
 */
export class VideoReader {
  readonly #canvas = new OffscreenCanvas(1, 1);
  #gl: WebGL2RenderingContext | undefined;
  #free: Slot[] = [];
  #flights: Flight[] = [];
  #image: WebGLTexture | null = null;
  #colorImage: WebGLTexture | null = null;
  #packed: WebGLTexture | null = null;
  #size = "";
  #target: WebGLFramebuffer | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    // A lost context comes back with nothing in it; frames that were on their way are gone.
    this.#canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.#forget();
    });
  }

  /**
   * Begins to read a frame, and what the video of colour shows now, and calls `take` when they are here, in the order of the calls. The
   * frame may be closed as soon as this returns. Returns false, and does nothing, while all slots are in use or a lost context has not come
   * back.
   */
  read(frame: VideoFrame, color: HTMLVideoElement | undefined, take: (pixels: Pixels) => void): boolean {
    const gl = this.#gl ?? this.#prepare();
    const slot = gl && this.#free.pop();
    if (!slot) return false;
    const { displayWidth: width, displayHeight: height } = frame;
    this.#pack(gl, frame, slot);
    const seen = color && color.videoWidth > 0 ? color : undefined;
    const colorSize = { width: seen?.videoWidth ?? 0, height: seen?.videoHeight ?? 0 };
    if (seen) this.#fetch(gl, seen, slot);
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!sync) return false;
    gl.flush();
    const taken = ({ depth, color }: Slot) => {
      const values = new Uint16Array(width * height);
      copyOut(gl, depth, values);
      if (!seen) return take({ depth: values, width, height });
      const rgba = new Uint8Array(4 * colorSize.width * colorSize.height);
      copyOut(gl, color, rgba);
      take({ depth: values, width, height, color: { rgba, ...colorSize } });
    };
    this.#flights.push({ slot, sync, take: taken });
    if (this.#timer === undefined) this.#wait();
    return true;
  }

  destroy(): void {
    this.#gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.#forget();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gl = undefined;
    this.#size = "";
    this.#free = [];
    this.#flights = [];
  }

  #prepare(): WebGL2RenderingContext | undefined {
    const gl = this.#canvas.getContext("webgl2", { antialias: false, depth: false });
    if (!gl || gl.isContextLost()) return undefined;
    gl.useProgram(programOf(gl));
    gl.disable(gl.DITHER);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    [this.#image, this.#colorImage, this.#packed] = [textureOf(gl), textureOf(gl), textureOf(gl)];
    this.#target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#target);
    this.#free = Array.from({ length: SLOTS }, () => ({ depth: storeOf(gl), color: storeOf(gl) }));
    this.#gl = gl;
    return gl;
  }

  #pack(gl: WebGL2RenderingContext, frame: VideoFrame, slot: Slot): void {
    const [width, rows] = [frame.displayWidth, Math.ceil(frame.displayHeight / 2)];
    if (this.#size !== `${width} ${rows}`) {
      this.#size = `${width} ${rows}`;
      gl.bindTexture(gl.TEXTURE_2D, this.#packed);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    }
    gl.bindTexture(gl.TEXTURE_2D, this.#image);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, gl.RED, gl.FLOAT, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#packed, 0);
    gl.viewport(0, 0, width, rows);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    readInto(gl, slot.depth, width, rows);
  }

  #fetch(gl: WebGL2RenderingContext, video: HTMLVideoElement, slot: Slot): void {
    gl.bindTexture(gl.TEXTURE_2D, this.#colorImage);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, video);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#colorImage, 0);
    readInto(gl, slot.color, video.videoWidth, video.videoHeight);
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const gl = this.#gl;
      for (let next = this.#flights[0]; gl && next; next = this.#flights[0]) {
        if (gl.clientWaitSync(next.sync, 0, 0) === gl.TIMEOUT_EXPIRED) break;
        this.#flights.shift();
        gl.deleteSync(next.sync);
        this.#free.push(next.slot);
        next.take(next.slot);
      }
      if (this.#flights.length > 0) this.#wait();
    }, POLL_MS);
  }
}

const storeOf = (gl: WebGL2RenderingContext): Store => ({ buffer: gl.createBuffer(), bytes: 0 });

function readInto(gl: WebGL2RenderingContext, store: Store, width: number, height: number): void {
  const bytes = 4 * width * height;
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, store.buffer);
  if (store.bytes !== bytes) gl.bufferData(gl.PIXEL_PACK_BUFFER, bytes, gl.STREAM_READ);
  store.bytes = bytes;
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, 0);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
}

function copyOut(gl: WebGL2RenderingContext, { buffer }: Store, to: ArrayBufferView<ArrayBuffer>): void {
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
  gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, to);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
}

function textureOf(gl: WebGL2RenderingContext): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}

function programOf(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  const add = (kind: number, text: string) => {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error("WebGL makes no shader: its context is lost");
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  };
  add(gl.VERTEX_SHADER, VERTEX);
  add(gl.FRAGMENT_SHADER, PACK);
  gl.linkProgram(program);
  return program;
}
