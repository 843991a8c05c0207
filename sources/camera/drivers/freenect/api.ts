import type { Ffi } from "../../ffi/ffi.ts";
import { bindAll, type Calls, type Loaded, type Vendor } from "../../ffi/loading.ts";

export const FREENECT: Vendor = {
  driver: "freenect",
  title: "libfreenect",
  stem: "freenect",
  install: {
    linux: "apt install libfreenect-bin (Debian, Ubuntu)",
    darwin: "brew install libfreenect",
    win32: "build libfreenect 0.5 or newer, with its udev rule or driver (openkinect.org)",
  },
};

/** libfreenect's own stand-in for itself, which plays what its program `fakenect-record` recorded. */
export const FAKENECT: Vendor = { ...FREENECT, title: "libfreenect's fakenect", folder: "fakenect" };

/** freenect_frame_mode */
export interface FrameMode {
  readonly width: number;
  readonly height: number;
  readonly framerate: number;
  readonly is_valid: number;
}

export const CALLBACK = "void depthloom_frame(void *device, void *data, uint32_t timestamp)";

const PROTOTYPES = {
  init: "int freenect_init(void *context, void *usb)",
  shutdown: "int freenect_shutdown(void *context)",
  setLogLevel: "void freenect_set_log_level(void *context, int level)",
  selectSubdevices: "void freenect_select_subdevices(void *context, int which)",
  count: "int freenect_num_devices(void *context)",
  open: "int freenect_open_device(void *context, void *device, int index)",
  openSerial: "int freenect_open_device_by_camera_serial(void *context, void *device, const char *serial)",
  closeDevice: "int freenect_close_device(void *device)",
  findDepthMode: "freenect_frame_mode freenect_find_depth_mode(int resolution, int format)",
  findVideoMode: "freenect_frame_mode freenect_find_video_mode(int resolution, int format)",
  setDepthMode: "int freenect_set_depth_mode(void *device, freenect_frame_mode mode)",
  setVideoMode: "int freenect_set_video_mode(void *device, freenect_frame_mode mode)",
  setDepthCallback: "void freenect_set_depth_callback(void *device, void *callback)",
  setVideoCallback: "void freenect_set_video_callback(void *device, void *callback)",
  startDepth: "int freenect_start_depth(void *device)",
  startVideo: "int freenect_start_video(void *device)",
  stopDepth: "int freenect_stop_depth(void *device)",
  stopVideo: "int freenect_stop_video(void *device)",
  process: "int freenect_process_events_timeout(void *context, void *timeout)",
  setTilt: "int freenect_set_tilt_degs(void *device, double degrees)",
} as const;

/** The functions of libfreenect, 0.5 or newer. */
export type Api = Calls<typeof PROTOTYPES> & { readonly loaded: Loaded };

/** Binds the functions. Throws a `SourceError` where the library lacks one of the functions, since it is older than 0.5. */
export function bind(ffi: Ffi, loaded: Loaded): Api {
  ffi.struct("freenect_frame_mode", {
    reserved: "uint32_t",
    resolution: "int",
    format: "int32_t",
    bytes: "int32_t",
    width: "int16_t",
    height: "int16_t",
    data_bits_per_pixel: "int8_t",
    padding_bits_per_pixel: "int8_t",
    framerate: "int8_t",
    is_valid: "int8_t",
  });
  return { ...bindAll(loaded, PROTOTYPES), loaded };
}
