import { SourceError } from "../../../../core/source.ts";
import { type Argument, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Loaded, Vendor } from "../../ffi/loading.ts";

export const REALSENSE: Vendor = {
  driver: "realsense",
  title: "librealsense2",
  stem: "realsense2",
  install: {
    linux: "install Intel's package librealsense2 (docs/cameras.md says from where)",
    darwin: "brew install librealsense",
    win32: "install the Intel RealSense SDK 2.0",
  },
};

/** The oldest version whose functions are used as they are here: 2.50.0, as the library tells versions. */
const OLDEST = 25_000;

/** Functions whose last argument is where they put an error. */
const CHECKED = {
  createContext: "void *rs2_create_context(int version, void *error)",
  queryDevices: "void *rs2_query_devices(void *context, void *error)",
  deviceCount: "int rs2_get_device_count(void *list, void *error)",
  createDevice: "void *rs2_create_device(void *list, int index, void *error)",
  hasDeviceInfo: "int rs2_supports_device_info(void *device, int info, void *error)",
  deviceInfo: "const char *rs2_get_device_info(void *device, int info, void *error)",
  querySensors: "void *rs2_query_sensors(void *device, void *error)",
  sensorCount: "int rs2_get_sensors_count(void *list, void *error)",
  createSensor: "void *rs2_create_sensor(void *list, int index, void *error)",
  isSensorOf: "int rs2_is_sensor_extendable_to(void *sensor, int extension, void *error)",
  depthScale: "float rs2_get_depth_scale(void *sensor, void *error)",
  sensorProfiles: "void *rs2_get_stream_profiles(void *sensor, void *error)",
  hasOption: "int rs2_supports_option(void *sensor, int option, void *error)",
  option: "float rs2_get_option(void *sensor, int option, void *error)",
  setOption: "void rs2_set_option(void *sensor, int option, float value, void *error)",
  optionRange:
    "void rs2_get_option_range(void *sensor, int option, void *least, void *most, void *step, void *usual, void *error)",
  valueName: "const char *rs2_get_option_value_description(void *sensor, int option, float value, void *error)",
  addFile: "void *rs2_context_add_device(void *context, const char *file, void *error)",
  removeFile: "void rs2_context_remove_device(void *context, const char *file, void *error)",
  isDeviceOf: "int rs2_is_device_extendable_to(void *device, int extension, void *error)",
  pause: "void rs2_playback_device_pause(void *device, void *error)",
  resume: "void rs2_playback_device_resume(void *device, void *error)",
  playbackStatus: "int rs2_playback_device_get_current_status(void *device, void *error)",
  open: "void rs2_open_multiple(void *sensor, void *profiles, int count, void *error)",
  close: "void rs2_close(void *sensor, void *error)",
  createQueue: "void *rs2_create_frame_queue(int capacity, void *error)",
  start: "void rs2_start_queue(void *sensor, void *queue, void *error)",
  stop: "void rs2_stop(void *sensor, void *error)",
  poll: "int rs2_poll_for_frame(void *queue, void *frame, void *error)",
  wait: "int rs2_try_wait_for_frame(void *queue, unsigned int ms, void *frame, void *error)",
  profileCount: "int rs2_get_stream_profiles_count(void *list, void *error)",
  profileAt: "void *rs2_get_stream_profile(void *list, int index, void *error)",
  profileData:
    "void rs2_get_stream_profile_data(void *profile, void *stream, void *format, void *index, void *id, void *fps, void *error)",
  resolution: "void rs2_get_video_stream_resolution(void *profile, void *width, void *height, void *error)",
  intrinsics: "void rs2_get_video_stream_intrinsics(void *profile, void *intrinsics, void *error)",
  extrinsics: "void rs2_get_extrinsics(void *from, void *to, void *extrinsics, void *error)",
  frameProfile: "void *rs2_get_frame_stream_profile(void *frame, void *error)",
  frameData: "void *rs2_get_frame_data(void *frame, void *error)",
  frameBytes: "int rs2_get_frame_data_size(void *frame, void *error)",
  frameTime: "double rs2_get_frame_timestamp(void *frame, void *error)",
  frameClock: "int rs2_get_frame_timestamp_domain(void *frame, void *error)",
  hasMetadata: "int rs2_supports_frame_metadata(void *frame, int which, void *error)",
  metadata: "long long rs2_get_frame_metadata(void *frame, int which, void *error)",
  frameNumber: "unsigned long long rs2_get_frame_number(void *frame, void *error)",
} as const;

/** Functions that free something, and cannot fail. */
const FREEING = {
  freeContext: "void rs2_delete_context(void *context)",
  freeDevices: "void rs2_delete_device_list(void *list)",
  freeDevice: "void rs2_delete_device(void *device)",
  freeSensors: "void rs2_delete_sensor_list(void *list)",
  freeSensor: "void rs2_delete_sensor(void *sensor)",
  freeProfiles: "void rs2_delete_stream_profiles_list(void *list)",
  freeQueue: "void rs2_delete_frame_queue(void *queue)",
  freeFrame: "void rs2_release_frame(void *frame)",
} as const;

type Call = (...args: readonly Argument[]) => unknown;
type Calls = { readonly [Name in keyof typeof CHECKED | keyof typeof FREEING]: Call };

/** The functions of librealsense2. Each throws an `Error` with the library's own words where the library reports one. */
export interface Api extends Calls {
  readonly version: string;
  readonly path: string;
  /** Waits for a queue's next frame on another thread: its pointer, or 0n where none came within `ms`. */
  waitFor(queue: bigint, ms: number): Promise<bigint>;
}

/** Binds the functions. Throws a `SourceError` where the library is older than 2.50. */
export function bind(loaded: Loaded): Api & { readonly number: number } {
  const message = loaded.func("const char *rs2_get_error_message(void *error)");
  const free = loaded.func("void rs2_free_error(void *error)");
  const check = (error: BigUint64Array) => {
    if (error[0] === 0n) return;
    const why = String(message(error[0]));
    free(error[0]);
    error[0] = 0n;
    throw new Error(why);
  };
  const error = new BigUint64Array(1);
  const number = numberOf(loaded.func("int rs2_get_api_version(void *error)")(error));
  check(error);
  const version = [number / 10_000, (number / 100) % 100, number % 100].map(Math.floor).join(".");
  if (number < OLDEST)
    throw new SourceError(
      `camera:realsense: ${loaded.path} is librealsense ${version}, which is too old: 2.50 or newer is needed`,
    );
  const checked = Object.entries(CHECKED).map(([name, prototype]) => {
    const run = loaded.func(prototype);
    const call: Call = (...args) => {
      const result = run(...args, error);
      check(error);
      return result;
    };
    return [name, call] as const;
  });
  const freeing = Object.entries(FREEING).map(([name, prototype]) => [name, loaded.func(prototype)] as const);
  const wait = loaded.func(CHECKED.wait);
  // The call is made on another thread, so it has memory of its own.
  const waited = { frame: new BigUint64Array(1), error: new BigUint64Array(1) };
  return {
    ...(Object.fromEntries([...checked, ...freeing]) as Calls),
    number,
    version,
    path: loaded.path,
    async waitFor(queue, ms) {
      waited.frame[0] = 0n;
      const came = numberOf(await wait.async(queue, ms, waited.frame, waited.error));
      check(waited.error);
      return came === 0 ? 0n : pointerOf(waited.frame[0]);
    },
  };
}
