import {
  findMediaCameras,
  isAddress,
  isCamera,
  openLive,
  openMediaCamera,
  openRecording,
  type RecordingInput,
  SeveralTopicsError,
  type Source,
  SourceError,
  syntheticRoom,
} from "../../sources/index.ts";

/** The sources that the element can show: an address, files, or a source that the caller has opened and closes. */
export type Shown = RecordingInput | Source;

/** How to open it. */
export interface Asked {
  /** The depth topic; the first of several if not given. */
  readonly topic: string | undefined;
  /** Ends opening. */
  readonly signal: AbortSignal;
}

/** Whether the caller has opened it. */
export const isSource = (shown: Shown): shown is Source => typeof shown === "object" && "frames$" in shown;

/** Opens what an address names, or files. */
export async function openSource(shown: RecordingInput, { topic, signal }: Asked): Promise<Source> {
  const recording = (input: RecordingInput) => first((name) => openRecording(input, { topic: name, signal }), topic);
  if (typeof shown !== "string") return recording(shown);
  if (shown === "synthetic") return syntheticRoom({ width: 320, height: 240 });
  if (isCamera(shown)) return openCamera(shown, signal);
  if (isAddress(shown)) return first((name) => openLive(shown, { topic: name, signal }), topic);
  if (!URL.canParse(shown, document.baseURI)) throw new SourceError(`${shown}: this is no address; check it`);
  return recording(new URL(shown, document.baseURI).href);
}

/** `camera:` is the first depth camera of this computer, `camera:NAME` the one of that name. */
async function openCamera(address: string, signal: AbortSignal): Promise<Source> {
  const wanted = address.slice("camera:".length);
  const cameras = await findMediaCameras({ signal });
  const camera = wanted === "" ? cameras[0] : cameras.find(({ name }) => name === wanted);
  if (camera) return openMediaCamera(camera, { signal });
  throw new SourceError(`${address}: there is no such camera; there are ${cameras.map(({ name }) => name).join(", ")}`);
}

async function first(open: (topic: string | undefined) => Promise<Source>, topic: string | undefined) {
  try {
    return await open(topic);
  } catch (error) {
    if (!(error instanceof SeveralTopicsError) || topic !== undefined) throw error;
    return open(error.topics[0]?.name);
  }
}
