import { createKernel } from "../../shaders/kernel.ts";
import colorCode from "../../shaders/undistort/color.wgsl?raw";
import depthCode from "../../shaders/undistort/depth.wgsl?raw";
import { defineStage } from "../core/define.ts";
import type { DepthImage } from "../core/resources.ts";
import { workOf } from "../core/work.ts";
import { placesOf, straightShape, undistortTwin } from "./cpu.ts";

const TILE = 8;

/**
 * Removes lens distortion from depth and, if there is one, colour: later stages see a camera without distortion, of the same size,
 * principal point and focal length. Frames without distortion skip this stage. See docs/lab/undistort.md.
 */
export const undistort = defineStage({
  name: "undistort",
  title: "Undo lens distortion",
  summary: "removes lens distortion, where the recording describes it",
  role: "filter",
  // The other filters work on the sensor's own pixels.
  place: 10,
  byDefault: true,
  schema: {},
  needed: ({ intrinsics }) => intrinsics.distortion?.some((value) => value !== 0) ?? false,
  leaves: straightShape,
  async build(device, { intrinsics }, { depth, raw, color }, _, __, pool) {
    const { width, height, stride } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const table = placesOf(intrinsics);
    const places = pool.buffer("places", table.byteLength, STORAGE | COPY_DST);
    device.queue.writeBuffer(places, 0, table);
    const size = { WIDTH: width, HEIGHT: height };
    const gather = (bent: DepthImage, straight: DepthImage) =>
      createKernel(device, {
        label: "undistort/depth",
        code: depthCode,
        constants: { ...size, WORDS: stride / 2 },
        resources: { places, depth: bent.buffer, straight: straight.buffer },
      });
    const output = pool.depthImage("depth", width, height);
    const kernels = [await gather(depth, output)];
    // Raw depth of another size stays distorted.
    const same = raw && raw.width === width && raw.height === height;
    const sensor = same ? pool.depthImage("raw", width, height) : raw;
    if (same && sensor) kernels.push(await gather(raw, sensor));
    // The buffer exists without colour too, so that colour that comes and goes allocates nothing.
    const mixed = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const mixer =
      color &&
      (await createKernel(device, {
        label: "undistort/color",
        code: colorCode,
        constants: { ...size, WORDS: stride },
        resources: { places, color: color.buffer, straight: mixed },
      }));
    return {
      output: { depth: output, ...(sensor && { raw: sensor }), ...(color && { color: { buffer: mixed, stride } }) },
      encode(pass) {
        const rows = Math.ceil(height / TILE);
        for (const kernel of kernels) kernel.dispatch(pass, Math.ceil(stride / 2 / TILE), rows);
        mixer?.dispatch(pass, Math.ceil(stride / TILE), rows);
      },
      work() {
        const rows = Math.ceil(height / TILE);
        const moved = (bytes: number) => ({ read: bytes, written: bytes, scratchRead: table.byteLength });
        const words = (stride / 2) * height;
        const own = kernels.map((kernel) => {
          const groups = Math.ceil(stride / 2 / TILE) * rows;
          return workOf(kernel, groups, moved(output.buffer.size), { invocations: words });
        });
        if (!mixer) return own;
        return [
          ...own,
          workOf(mixer, Math.ceil(stride / TILE) * rows, moved(mixed.size), { invocations: stride * height }),
        ];
      },
    };
  },
  twin: (shape) => undistortTwin(shape),
});
