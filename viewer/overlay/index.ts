export { LatencyOverlay, type Measured, type OverlayOptions } from "./overlay.ts";
