export type { Abortable } from "../core/abort.ts";
export { isAddress, shownAddress } from "../core/address.ts";
export type { Extra, ExtrasReader, FrameExtras, GreyImage, MotionSample } from "../core/extras.ts";
export * from "../core/frame.ts";
export { mapFrames } from "../core/mapFrames.ts";
export { type Playable, type PlayOptions, playOf } from "../core/play.ts";
export type { DepthTopic, OfferedTopic } from "../core/severalTopics.ts";
export { SeveralTopicsError } from "../core/severalTopics.ts";
export {
  type Disposable,
  type HelpfulOption,
  isRecording,
  type Recording,
  type Source,
  SourceError,
} from "../core/source.ts";
export { type FramesOptions, framesOf, type Readable } from "../core/streams.ts";
export { isCamera } from "./camera/address.ts";
export { openCamera } from "./camera/index.ts";
export { findMediaCameras, type MediaCamera } from "./camera/media/find.ts";
export { mediaLack, type PageFacts, pageFacts } from "./camera/media/lack.ts";
export { type MediaCorrections, openMediaCamera } from "./camera/media/open.ts";
export type { CameraOptions, CameraSource } from "./camera/options.ts";
export { type RawBytes, type RawOptions, type RawSource, rawSource } from "./camera/raw/index.ts";
export type { Bytes } from "./decode/codec.ts";
export type { Decoder } from "./decode/index.ts";
export type { DecodedColor, DecodedDepth } from "./decode/png.ts";
export type { Dropped } from "./files/dropped.ts";
export type { ByteFile, Files } from "./files/files.ts";
export type { Fact, Format, Frames, Input, OpenOptions, Origin, Pinhole, Pose } from "./format/format.ts";
export type { CameraInfo, CameraRequest, CameraState, Control, Controls, DriverName, Mode } from "./live/driver.ts";
export { isLive, type LiveSource, openLive } from "./live/index.ts";
export type { LiveOptions } from "./live/protocol.ts";
export { type LiveReport, reportText } from "./live/report.ts";
export { DEPTH_SENSING, webxrSource, type XrFrame, type XrOptions, type XrSession } from "./live/webxr.ts";
export type { XrDepth, XrDepthBinding, XrGpuDepth, XrView } from "./live/webxrGpu.ts";
export { openRecording, type RecordedSource, type RecordingInput } from "./recorded/index.ts";
export {
  type CameraMotion,
  type GroundTruth,
  type NoiseParts,
  type SceneName,
  type SensorName,
  type SyntheticOptions,
  type SyntheticRecording,
  syntheticRoom,
  type ViewName,
} from "./synthetic/index.ts";
