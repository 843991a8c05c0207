// @ts-check
import { choice, createKernel, defineStage, liveUniform, number } from "depthloom/stage";
import { cropTwin } from "./twin.js";

/** Reads the kernel. Bundlers for pages ship a file that they see named so; `no-inline` keeps Vite from making it an address of data. */
async function readKernel() {
  const url = new URL("./crop.wgsl?no-inline", import.meta.url);
  const fs = globalThis.process?.getBuiltinModule?.("node:fs");
  return fs ? fs.readFileSync(url, "utf8") : (await fetch(url)).text();
}

/** Keeps the middle of the image; what is outside becomes invalid. Its corners are where a lens is worst. */
export const crop = defineStage({
  name: "crop",
  title: "Crop",
  summary: "keeps the middle of the image",
  schema: {
    shape: choice("rectangle", ["rectangle", "circle"], "what is kept", { live: true }),
    marginPx: number(16, { min: 0, max: 2048, step: 1, live: true }, "how far it ends before the image does, px"),
  },
  async build({ device, input: { depth }, parameters, pool }) {
    const { width, height, stride } = depth;
    const words = stride / 2;
    const code = await readKernel();
    const output = pool.depthImage("cropped", width, height);
    // Both parameters are live: what they say is written where one has changed, and nothing is built anew.
    const area = liveUniform(pool, code, "area", parameters, () => ({
      margin: parameters.marginPx,
      circle: parameters.shape === "circle" ? 1 : 0,
    }));
    const kernel = await createKernel(device, {
      label: "crop",
      code,
      constants: { WIDTH: width, HEIGHT: height, STRIDE: words },
      resources: { area: area.buffer, depth: depth.buffer, cropped: output.buffer },
    });
    return {
      output: { depth: output },
      encode(pass) {
        area.update();
        kernel.dispatch(pass, Math.ceil(words / 16), Math.ceil(height / 8));
      },
    };
  },
  twin: cropTwin,
});

/** The stages that `depthloom replay --use depthloom-crop` takes. */
export const stages = [crop];
