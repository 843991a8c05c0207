export { findMediaCameras, type MediaCamera } from "./find.ts";
export { mediaLack, type PageFacts, pageFacts } from "./lack.ts";
export { type MediaCorrections, openMediaCamera } from "./open.ts";
