import { Matrix4, type PerspectiveCamera, Vector4 } from "three/webgpu";

/** A click reads the pixels this near to it, so that a click beside a thin thing finds the thing. */
const REACH = 4;

/**
 * Reads the distance at a place, from (0, 0) top left to (1, 1), of a r32float texture: the pixel's distance, else that of the nearest
 * pixel within `REACH` that has a distance; 0 if there is no such pixel. Reads some hundred bytes back, in a submission of its own.
 */
export async function patchAt(device: GPUDevice, texture: GPUTexture, x: number, y: number): Promise<number> {
  const [column, row] = [Math.floor(x * texture.width), Math.floor(y * texture.height)];
  const left = Math.max(0, column - REACH);
  const top = Math.max(0, row - REACH);
  const width = Math.min(texture.width, column + REACH + 1) - left;
  const height = Math.min(texture.height, row + REACH + 1) - top;
  const bytesPerRow = 256;
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const buffer = device.createBuffer({ label: "pick", size: bytesPerRow * height, usage });
  const encoder = device.createCommandEncoder({ label: "pick" });
  encoder.copyTextureToBuffer({ texture, origin: [left, top] }, { buffer, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const patch = new Float32Array(buffer.getMappedRange());
  const found = nearestTo(column - left, row - top, width, height, (i, j) => patch[j * (bytesPerRow / 4) + i]);
  buffer.destroy();
  return found;
}

/** The value above 0 that is nearest to (x, y) in a grid; 0 if there is none. */
export function nearestTo(
  x: number,
  y: number,
  width: number,
  height: number,
  at: (x: number, y: number) => number,
): number {
  let found = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      const far = (i - x) ** 2 + (j - y) ** 2;
      if (far >= best || at(i, j) <= 0) continue;
      best = far;
      found = at(i, j);
    }
  }
  return found;
}

/**
 * The nearest of `count` points (four floats each, in the sensor's axes) within 1% of the window's height of the place (x, y): its distance
 * along the camera's axis; 0 if there is none.
 */
export function nearestOnRay(
  points: Float32Array,
  count: number,
  x: number,
  y: number,
  camera: PerspectiveCamera,
): number {
  const clip = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  clip.multiply(new Matrix4().makeScale(1, -1, -1));
  const [u, v] = [2 * x - 1, 1 - 2 * y];
  const place = new Vector4();
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    place.set(points[i * 4], points[i * 4 + 1], points[i * 4 + 2], 1).applyMatrix4(clip);
    if (place.w <= 0 || place.w >= nearest) continue;
    const [dx, dy] = [(place.x / place.w - u) * camera.aspect, place.y / place.w - v];
    if (dx * dx + dy * dy < 0.02 ** 2) nearest = place.w;
  }
  return Number.isFinite(nearest) ? nearest : 0;
}
