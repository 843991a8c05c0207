/** Changes the cameras that a page sees, before it is loaded. */
export interface Plug {
  /** Labels of the devices that are listed, by their place in Chromium's list; `null` leaves one out. */
  readonly labels?: readonly (string | null)[];
  /** The devices at these places of the list do not start, as if another program used them. */
  readonly busy?: readonly number[];
  /** Each device is listed twice, as if there were two of it. */
  readonly twice?: boolean;
}

export interface Plugs {
  /** Ends every track as the browser does when the cable is pulled, and lists no device. */
  unplug(): void;
  /** Lists the devices again and tells of the change. */
  replug(): void;
}

/** Runs in the page. Chromium cannot unplug a fake device, so its events and lists are made here; the video is Chromium's own. */
export function plugIn({ labels, busy = [], twice = false }: Plug): void {
  const devices = navigator.mediaDevices;
  const list = devices.enumerateDevices.bind(devices);
  const start = devices.getUserMedia.bind(devices);
  const tracks = new Set<MediaStreamTrack>();
  let out = false;
  const cameras = async () => (await list()).filter(({ kind }) => kind === "videoinput");
  devices.enumerateDevices = async () => {
    if (out) return [];
    return (await cameras()).flatMap((device, i) => {
      const label = labels ? labels[i] : device.label;
      if (label === null || label === undefined) return [];
      const { deviceId, groupId, kind } = device;
      const listed = { deviceId, groupId, kind, label, toJSON: () => ({}) };
      return twice ? [listed, listed] : [listed];
    });
  };
  devices.getUserMedia = async (wanted) => {
    if (out) throw new DOMException("Requested device not found", "NotFoundError");
    const video = wanted?.video;
    const id =
      typeof video === "object" &&
      typeof video.deviceId === "object" &&
      "exact" in video.deviceId &&
      video.deviceId.exact;
    const place = (await cameras()).findIndex(({ deviceId }) => deviceId === id);
    if (busy.includes(place)) throw new DOMException("Could not start video source", "NotReadableError");
    const stream = await start(wanted);
    for (const track of stream.getTracks()) tracks.add(track);
    return stream;
  };
  const plugs: Plugs = {
    unplug() {
      out = true;
      for (const track of tracks) {
        const live = track.readyState === "live";
        track.stop();
        if (live) track.dispatchEvent(new Event("ended"));
      }
      tracks.clear();
    },
    replug() {
      out = false;
      devices.dispatchEvent(new Event("devicechange"));
    },
  };
  Object.assign(window, { plugs });
}
