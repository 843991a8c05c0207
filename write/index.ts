// The entry "depthloom/write", for Node: what writes recordings.

export type { WholeFrame } from "../core/withExtras.ts";
export { Folder, type Target } from "./folder.ts";
export type { DepthEncoder, Topic } from "./frameMessages.ts";
export { type Meaning, meaning, type Writable, type WriteOptions } from "./frames.ts";
export { Losses } from "./losses.ts";
export { type DepthCodec, depthCodecs, type McapFile, recordMcap } from "./mcap.ts";
export { colorPng, depthPng } from "./png.ts";
export { writePngFolder } from "./pngFolder.ts";
export { McapRecorder, type RecorderOptions, type Sink } from "./recorder.ts";
export { writeTum } from "./tum.ts";
