export * from "./frame.ts";
export { type Playable, type PlayOptions, playOf } from "./play.ts";
export type { DepthTopic, Fact, Origin } from "./recorded/facts.ts";
export { type OpenOptions, type Pinhole, type Pose, SeveralTopics } from "./recorded/format.ts";
export { openRecording, type RecordedSource, type RecordingInput } from "./recorded/index.ts";
export { isRecording, type Recording, type Source, SourceError } from "./source.ts";
export { type FramesOptions, framesOf, type Readable } from "./streams.ts";
export { type SyntheticOptions, type SyntheticRecording, syntheticRoom } from "./synthetic/index.ts";
