import { defineStage } from "../stage.ts";
import { dofSplatTwin } from "./cpu.ts";
import { buildDofSplat } from "./gpu.ts";
import { schema } from "./schema.ts";
import { variants } from "./variants.ts";

/**
 * Depth-of-field splatting: a picture of the compacted points through a thin lens, from any place.
 * Reads `points`; leaves `picture` (colour over the background, and the distance of what covers each pixel).
 * After Selgrad, Franke, Stamminger 2016: Tiled Depth of Field Splatting.
 */
export const dofSplat = defineStage({
  name: "dofSplat",
  summary: "renders the points through a thin lens: focus, aperture, any viewpoint",
  role: "picture",
  byDefault: true,
  schema,
  tuning: variants,
  build: buildDofSplat,
  twin: dofSplatTwin,
});
