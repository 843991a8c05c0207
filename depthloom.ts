// The entry "depthloom": sources, stages and the pipeline from one place, errors included. A bundler leaves out what is not imported.

export * from "./pipeline/index.ts";
export * from "./sources/index.ts";
export * from "./stages/index.ts";
