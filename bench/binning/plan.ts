import { image } from "../../core/array.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { makeInput } from "../frames.ts";
import type { Size } from "../types.ts";
import { CLUSTERINGS, type Clustering, madeSamples } from "./data.ts";
import { splatSamples } from "./splats.ts";
import type { Input } from "./types.ts";

/** An input whose number of samples is roughly known before the input is made. */
interface SizedInput extends Input {
  readonly about: number;
}

/** The measurements of made samples: every combination. */
interface Made {
  readonly lengths: readonly number[];
  readonly tiles: readonly number[];
}

const QUICK: Made = { lengths: [1e6], tiles: [16, 4096] };
/** A software GPU takes a quarter of a second for 10^5 samples wherever workgroups wait at a barrier. */
const SOFTWARE_QUICK: Made = { lengths: [3e4], tiles: [16, 4096] };
const SOFTWARE: Made = { lengths: [1e5], tiles: [16, 256, 1024, 4096, 16384] };
const HARDWARE: Made = { lengths: [1e5, 1e6, 1e7], tiles: [16, 256, 1024, 4096, 16384] };
/** The mean radius of the circle of confusion of dofSplat's pictures, px. */
const BLURS = { quick: [2], full: [2, 0, 7] };
const FRAMES = { quick: { width: 320, height: 240 }, full: { width: 640, height: 480 } };

/** dofSplat's lists first, then made samples, from few to many; without those that a binding of the device cannot hold. */
export function binningInputs({ device, software }: Gpu, quick: boolean): SizedInput[] {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / 8);
  const budget = quick ? "quick" : "full";
  const [few, many] = software ? [SOFTWARE_QUICK, SOFTWARE] : [QUICK, HARDWARE];
  const { lengths, tiles } = quick ? few : many;
  return [
    ...BLURS[budget].map((radius) => splatInput(FRAMES[budget], radius)),
    ...lengths
      .filter((length) => length <= most)
      .flatMap((length) =>
        (Object.keys(CLUSTERINGS) as Clustering[]).flatMap((data) =>
          tiles.map((count) => ({
            label: `${data}, ${length} samples, ${count} tiles`,
            about: length,
            make: async () => madeSamples(data, length, count),
          })),
        ),
      ),
  ];
}

/** dofSplat's lists for a frame of the synthetic room as a Kinect sees it. */
const splatInput = (size: Size, radiusPx: number): SizedInput => ({
  label: `dofSplat's lists, mean blur ${radiusPx} px`,
  about: size.width * size.height,
  async make() {
    const { shape, images } = await makeInput("structured", size, 1);
    const [data] = images;
    if (!data) throw new Error("the synthetic room has no frame");
    const depth = image(data, [size.height, size.width]);
    return splatSamples({ ...shape, depth, timestamp: 0, index: 0 }, radiusPx);
  },
});
