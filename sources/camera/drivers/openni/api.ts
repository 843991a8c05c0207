import { SourceError } from "../../../../core/source.ts";
import { type Ffi, numberOf } from "../../ffi/ffi.ts";
import { bindAll, type Calls, type Loaded, type Vendor } from "../../ffi/loading.ts";

export const OPENNI: Vendor = {
  driver: "openni",
  title: "OpenNI2",
  stem: "OpenNI2",
  install: {
    linux: "apt install libopenni2-0 (Debian, Ubuntu)",
    darwin: "brew install openni2, or install the camera maker's OpenNI2",
    win32: "install the camera maker's OpenNI2",
  },
};

/** The version of the interface that is used here, 2.2, as OpenNI writes it. */
const API_VERSION = 2002;

/** OniStatus */
export const TIMED_OUT = 102;

const PROTOTYPES = {
  initialize: "int oniInitialize(int version)",
  shutdown: "void oniShutdown()",
  deviceList: "int oniGetDeviceList(void *devices, void *count)",
  freeDeviceList: "int oniReleaseDeviceList(void *devices)",
  openDevice: "int oniDeviceOpen(const char *uri, void *device)",
  closeDevice: "int oniDeviceClose(void *device)",
  deviceInfo: "int oniDeviceGetInfo(void *device, void *info)",
  setDevice: "int oniDeviceSetProperty(void *device, int property, void *data, int bytes)",
  canRegister: "int oniDeviceIsImageRegistrationModeSupported(void *device, int mode)",
  sensorInfo: "void *oniDeviceGetSensorInfo(void *device, int sensor)",
  createStream: "int oniDeviceCreateStream(void *device, int sensor, void *stream)",
  destroyStream: "void oniStreamDestroy(void *stream)",
  start: "int oniStreamStart(void *stream)",
  stop: "void oniStreamStop(void *stream)",
  hasProperty: "int oniStreamIsPropertySupported(void *stream, int property)",
  property: "int oniStreamGetProperty(void *stream, int property, void *data, void *bytes)",
  setProperty: "int oniStreamSetProperty(void *stream, int property, void *data, int bytes)",
  wait: "int oniWaitForAnyStream(void *streams, int count, void *index, int ms)",
  read: "int oniStreamReadFrame(void *stream, void *frame)",
  freeFrame: "void oniFrameRelease(void *frame)",
} as const;

/** The functions of OpenNI2. */
export type Api = Calls<typeof PROTOTYPES> & {
  readonly version: string;
  readonly path: string;
  /** Throws an `Error` with OpenNI's own words if a status is not "ok". `what` says what was tried. */
  check(status: unknown, what: string): void;
};

/** Binds the functions and starts OpenNI. Throws a `SourceError` if OpenNI is older than 2.2 or does not start. */
export function bind(ffi: Ffi, loaded: Loaded): Api {
  ffi.struct("OniVersion", { major: "int", minor: "int", maintenance: "int", build: "int" });
  const answer = loaded.func("OniVersion oniGetVersion()")() as Record<"major" | "minor" | "maintenance", number>;
  const version = `${answer.major}.${answer.minor}.${answer.maintenance}`;
  if (answer.major !== 2 || answer.minor < 2)
    throw new SourceError(`camera:openni: ${loaded.path} is OpenNI ${version}; OpenNI 2.2 or newer is needed`);
  const words = loaded.func("const char *oniGetExtendedError()");
  const check = (status: unknown, what: string) => {
    if (numberOf(status) === 0) return;
    const why = String(words() ?? "").trim();
    throw new Error(`${what} failed with status ${numberOf(status)}${why && `: ${why}`}`);
  };
  const calls = bindAll(loaded, PROTOTYPES);
  check(calls.initialize(API_VERSION), "starting OpenNI");
  return { ...calls, version, path: loaded.path, check };
}
