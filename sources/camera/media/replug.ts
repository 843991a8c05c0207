import type { MediaCamera } from "./find.ts";
import { CameraRefusal } from "./refusal.ts";

/** How long to wait before each try to open a camera again, ms; the last time is repeated. */
const TRIES_MS = [250, 500, 1000, 2000, 4000, 8000] as const;

/**
 * Waits until a camera that was unplugged, or taken by another program, is there again, and starts it: when the browser tells of a change
 * among the devices, and from time to time, because a device is listed before it can be started. Rejects where it was forbidden
 * meanwhile, or with the reason of `signal`.
 */
export async function whenBack<T>(
  camera: MediaCamera,
  start: (camera: MediaCamera) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    await changeOr(TRIES_MS[Math.min(tries, TRIES_MS.length - 1)], signal);
    signal.throwIfAborted();
    const found = await present(camera);
    if (!found) continue;
    try {
      return await start(found);
    } catch (error) {
      if (error instanceof CameraRefusal && error.forbidden) throw error;
    }
  }
}

/** The camera with this id. A camera in another socket gets a new id; it is then the only camera with its label, if there is just one. */
async function present(camera: MediaCamera): Promise<MediaCamera | undefined> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  if (devices.some(({ deviceId }) => deviceId === camera.id)) return camera;
  const alike = devices.filter(({ kind, label }) => kind === "videoinput" && label === camera.label);
  return alike.length === 1 ? { ...camera, id: alike[0].deviceId } : undefined;
}

function changeOr(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ends = new AbortController();
    const end = () => {
      ends.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    navigator.mediaDevices.addEventListener("devicechange", end, { signal: ends.signal });
    signal.addEventListener("abort", end, { signal: ends.signal });
  });
}
