export { Folder, type Target } from "./folder.ts";
export { meaning, type Writable, type WriteOptions } from "./frames.ts";
export { colorPng, depthPng } from "./png.ts";
export { writePngFolder } from "./pngFolder.ts";
export { writeTum } from "./tum.ts";
