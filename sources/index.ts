export {
  findMediaCameras,
  type MediaCamera,
  type MediaCorrections,
  mediaLack,
  openMediaCamera,
  type PageFacts,
  pageFacts,
} from "./camera/media/index.ts";
export * from "./core/frame.ts";
export { mapFrames } from "./core/mapFrames.ts";
export { type Playable, type PlayOptions, playOf } from "./core/play.ts";
export { isRecording, type Recording, type Source, SourceError } from "./core/source.ts";
export { type FramesOptions, framesOf, type Readable } from "./core/streams.ts";
export { isLive, type LiveSource, openLive } from "./live/index.ts";
export type { LiveOptions } from "./live/protocol.ts";
export { type LiveReport, reportText } from "./live/report.ts";
export { isAddress, shownAddress } from "./live/socket.ts";
export { DEPTH_SENSING, webxrSource, type XrSession } from "./live/webxr.ts";
export type { DepthTopic, Fact, Origin } from "./recorded/facts.ts";
export type { ByteFile, Files } from "./recorded/files/files.ts";
export {
  type Format,
  type Frames,
  type Input,
  type OpenOptions,
  type Pinhole,
  type Pose,
  SeveralTopics,
} from "./recorded/format.ts";
export { openRecording, type RecordedSource, type RecordingInput } from "./recorded/index.ts";
export { type SyntheticOptions, type SyntheticRecording, syntheticRoom } from "./synthetic/index.ts";
