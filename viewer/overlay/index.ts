export type { LiveLatency } from "./glassToGlass.ts";
export { LatencyOverlay, type Measured, type OverlayOptions } from "./overlay.ts";
