// The entry "depthloom/write", for Node: what writes recordings.

export type { WholeFrame } from "../core/withExtras.ts";
export { Folder, type Target } from "./folder.ts";
export type { DepthEncoder, Topic } from "./frameMessages.ts";
export { type Meaning, meaning, type Writable, type WriteOptions } from "./frames.ts";
export { type EpisodePart, type LerobotOptions, writeLerobot } from "./lerobot/index.ts";
export { Losses } from "./losses.ts";
export { type DepthCodec, depthCodecs, type McapFile, recordMcap } from "./mcap.ts";
export { depthNpy, depthTiff } from "./plain.ts";
export { colorPng, depthPng } from "./png.ts";
export { type FolderOptions, writePngFolder } from "./pngFolder.ts";
export { type PointsOptions, writePoints } from "./points.ts";
export { type CompressChunk, McapRecorder, type RecorderOptions, type Sink } from "./recorder.ts";
export { poseLine, writeTum } from "./tum.ts";
