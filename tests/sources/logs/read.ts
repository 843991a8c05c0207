import { type OpenOptions, openRecording, type RecordedSource } from "../../../sources/index.ts";

/** A recording's facts, and all its frames in plain arrays. */
export async function readAll(bytes: Uint8Array<ArrayBuffer>, name: string, options: OpenOptions = {}) {
  const recording = await openRecording(new File([bytes], name), options);
  try {
    return { ...plain(recording), frames: await framesOf(recording) };
  } finally {
    await recording.close();
  }
}

const plain = ({ format, fps, length, warnings, facts, topics }: RecordedSource) => ({
  ...{ format, fps, length, warnings, topics: topics?.map((topic) => topic.name) },
  fact: (what: string) => facts.find((fact) => fact.what === what),
});

async function framesOf(recording: RecordedSource) {
  const frames = [];
  for (let index = 0; index < recording.length; index++) {
    const { depth, color, timestamp, metresPerUnit, intrinsics } = await recording.read(index);
    frames.push({ depth: [...depth.data], color: color && [...color.data], timestamp, metresPerUnit, intrinsics });
  }
  return frames;
}
