// The entry "depthloom": sources, stages and the pipeline from one place, errors included. A bundler leaves out what is not imported.

export * from "./pipeline/index.ts";
export * from "./sources/index.ts";
// Images of a frame, which have the names of a decoder's.
export type { ColorImage, DepthImage } from "./stages/core/resources.ts";
export * from "./stages/index.ts";
