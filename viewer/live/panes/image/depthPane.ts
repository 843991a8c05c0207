import { definePane } from "../pane.ts";
import { depthFields } from "./depthFields.ts";
import { DepthImages } from "./depthImages.ts";

export const depthPane = definePane({
  name: "depth",
  label: "Depth image",
  summary: "Raw or filtered depth as colours",
  place: "beside",
  order: 10,
  key: "g",
  fields: depthFields,
  needs: ({ depthShown }) => (depthShown === "raw" ? "source" : "depth"),
  create: (parts) => new DepthImages(parts),
});
