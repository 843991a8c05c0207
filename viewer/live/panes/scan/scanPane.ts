import { definePane } from "../pane.ts";
import { scanFields } from "./scanFields.ts";
import { ScanModel } from "./scanModel.ts";

export const scanPane = definePane({
  name: "scan",
  label: "Scan",
  summary: "A model that grows while the camera moves: save it as a mesh",
  place: "beside",
  menu: "Scan",
  order: 25,
  key: "j",
  fields: scanFields,
  needs: () => "nothing",
  create: (parts) => new ScanModel(parts),
});
