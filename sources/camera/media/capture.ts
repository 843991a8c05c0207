import { SourceError } from "../../../core/source.ts";

/**
 * The constraints for every camera. Depth cameras have 640 × 480 at 30 Hz; a browser must not scale depth, because scaling would blend near
 * and far.
 */
const WANTED: MediaTrackConstraints & { readonly resizeMode: string } = {
  width: { ideal: 640 },
  height: { ideal: 480 },
  frameRate: { ideal: 30 },
  resizeMode: "none",
};

/** One device's running video. */
export interface Capture {
  /** Shows the newest frame; the element belongs to no page. */
  readonly video: HTMLVideoElement;
  readonly track: MediaStreamTrack;
  stop(): void;
}

/** Starts a device. Rejects with what `getUserMedia` rejects with. */
export async function startCapture(id: string): Promise<Capture> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { ...WANTED, deviceId: { exact: id } } });
  const [track] = stream.getVideoTracks();
  const video = document.createElement("video");
  video.muted = true;
  video.playsInline = true;
  video.srcObject = stream;
  // The promise of play() settles with the first frame, which may never come: nobody waits for it here.
  video.play().catch(() => {});
  return {
    video,
    track,
    stop() {
      for (const each of stream.getTracks()) each.stop();
      video.srcObject = null;
    },
  };
}

/** The frame that a video shows, which the caller closes; `undefined` before its first. */
export function frameOf(video: HTMLVideoElement): VideoFrame | undefined {
  return video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA ? new VideoFrame(video) : undefined;
}

/** A camera gives its first frame within a second or two; it may take its time on a slow machine. */
const FIRST_MS = 8000;

/** Waits until a video has its next frame. Rejects with a `SourceError` after 8 s without one. */
export function nextFrame({ video }: Capture, camera: string): Promise<VideoFrameCallbackMetadata> {
  return new Promise((resolve, reject) => {
    const handle = video.requestVideoFrameCallback((_, about) => {
      clearTimeout(timer);
      resolve(about);
    });
    const timer = setTimeout(() => {
      video.cancelVideoFrameCallback(handle);
      reject(new SourceError(`${camera}: the camera started, but gave no picture within ${FIRST_MS / 1000} s`));
    }, FIRST_MS);
  });
}
