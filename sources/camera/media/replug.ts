import type { MediaCamera } from "./find.ts";
import { CameraRefusal } from "./refusal.ts";

/** How long to wait before each try to open a camera again, ms; the last time is repeated. */
const TRIES_MS = [250, 500, 1000, 2000, 4000, 8000] as const;

/** The labels of the devices that are there, by their ids. */
export const labelsById = async (): Promise<Map<string, string>> =>
  new Map((await navigator.mediaDevices.enumerateDevices()).map(({ deviceId, label }) => [deviceId, label]));

/**
 * Waits until a camera that was unplugged, or taken by another program, is there again, and starts it: when the browser tells of a change
 * among the devices, and from time to time, because a device is listed before it can be started. Devices that were there before, by
 * `known` or when this was called, are other cameras. Rejects where it was forbidden meanwhile, or with the reason of `signal`.
 */
export async function whenBack<T>(
  camera: MediaCamera,
  start: (camera: MediaCamera) => Promise<T>,
  signal: AbortSignal,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<T> {
  const before = new Map([...known, ...(await labelsById())]);
  for (let tries = 0; ; tries++) {
    await changeOr(TRIES_MS[Math.min(tries, TRIES_MS.length - 1)], signal);
    signal.throwIfAborted();
    const found = await present(camera, before);
    if (!found) continue;
    try {
      return await start(found);
    } catch (error) {
      if (error instanceof CameraRefusal && error.forbidden) throw error;
    }
  }
}

/** The camera with this id. A camera in another socket gets a new id, as its colour does; it is then the only new one with its label. */
async function present(camera: MediaCamera, before: ReadonlyMap<string, string>): Promise<MediaCamera | undefined> {
  const devices = await labelsById();
  if (devices.has(camera.id)) return camera;
  const newOf = (wanted: string | undefined) => {
    const alike = [...devices].filter(([id, label]) => label === wanted && !before.has(id));
    return alike.length === 1 ? alike[0][0] : undefined;
  };
  const id = newOf(camera.label);
  const colorId = newOf(before.get(camera.colorId ?? ""));
  return id === undefined ? undefined : { ...camera, id, ...(colorId !== undefined && { colorId }) };
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
