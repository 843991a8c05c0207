export { bilateralGrid } from "./bilateralGrid/index.ts";
export { compact } from "./compact/index.ts";
export { dofSplat } from "./dofSplat/index.ts";
export { median } from "./median/index.ts";
export { paint } from "./paint/index.ts";
