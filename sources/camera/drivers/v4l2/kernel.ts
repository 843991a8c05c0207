import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";

// Requests of <linux/videodev2.h>, on 64-bit Linux.
export const IOCTL = {
  querycap: 0x80685600,
  enumFormats: 0xc0405602,
  setFormat: 0xc0d05605,
  requestBuffers: 0xc0145608,
  queryBuffer: 0xc0585609,
  queue: 0xc058560f,
  dequeue: 0xc0585611,
  streamOn: 0x40045612,
  streamOff: 0x40045613,
  setParameters: 0xc0cc5616,
  enumSizes: 0xc02c564a,
  enumIntervals: 0xc034564b,
  queryControl: 0xc0445624,
  getControl: 0xc008561b,
  setControl: 0xc008561c,
} as const;

/** The bytes of the struct that a request takes: they are in the request's number. */
const sizeOf = (request: number): number => (request >>> 16) & 0x3fff;

/** O_RDWR | O_NONBLOCK, PROT_READ, MAP_SHARED, POLLIN */
const OPEN_FLAGS = 0x802;
const READ = 1;
const SHARED = 1;
const POLLIN = 1;
/** EINTR, EAGAIN, EINVAL */
const EINTR = 4;
const EAGAIN = 11;
const EINVAL = 22;

/** A request that the kernel refuses. */
export class Refused extends Error {
  constructor(
    what: string,
    readonly errno: number,
  ) {
    super(`${what} failed with error ${errno}`);
  }
}

/** The kernel's side of V4L2, by the C library. */
export interface Kernel {
  open(path: string): number;
  close(fd: number): void;
  /** Makes a request with a struct, filled by `fill`. Returns the struct; `undefined` where the kernel says that there is no such thing. */
  ask(fd: number, request: number, fill?: (view: DataView) => void): DataView | undefined;
  map(fd: number, bytes: number, offset: number): { readonly memory: Uint8Array; unmap(): void };
  /** Waits on another thread until the device has a frame. Resolves to false where none came within `ms`. */
  wait(fd: number, ms: number): Promise<boolean>;
}

/** Binds the C library of the running program. */
export function kernelOf(ffi: Ffi): Kernel {
  const libc = ffi.load(null);
  const open = libc.func("int open(const char *path, int flags)");
  const close = libc.func("int close(int fd)");
  // The C library's ioctl takes any number of arguments; on 64-bit Linux one is passed just as a fixed one is.
  const ioctl = libc.func("int ioctl(int fd, unsigned long request, void *argument)");
  const mmap = libc.func("void *mmap(void *at, size_t bytes, int protection, int flags, int fd, int64_t offset)");
  const munmap = libc.func("int munmap(void *at, size_t bytes)");
  const poll = libc.func("int poll(void *fds, unsigned long count, int ms)");
  return {
    open(path) {
      const fd = numberOf(open(path, OPEN_FLAGS));
      if (fd < 0) throw new Refused(`opening ${path}`, ffi.errno());
      return fd;
    },
    close: (fd) => void close(fd),
    ask(fd, request, fill = () => {}) {
      const view = new DataView(new ArrayBuffer(sizeOf(request)));
      fill(view);
      for (;;) {
        if (numberOf(ioctl(fd, request, new Uint8Array(view.buffer))) >= 0) return view;
        const errno = ffi.errno();
        if (errno === EINVAL || errno === EAGAIN) return undefined;
        if (errno !== EINTR) throw new Refused(`request ${(request >>> 0).toString(16)}`, errno);
      }
    },
    map(fd, bytes, offset) {
      const at = pointerOf(mmap(null, bytes, READ, SHARED, fd, offset));
      // MAP_FAILED is -1.
      if (at === 0n || BigInt.asIntN(64, at) === -1n) throw new Refused("mapping a frame's memory", ffi.errno());
      return { memory: ffi.view(at, bytes), unmap: () => void munmap(at, bytes) };
    },
    async wait(fd, ms) {
      const asked = new Uint8Array(8);
      const view = new DataView(asked.buffer);
      view.setInt32(0, fd, true);
      view.setInt16(4, POLLIN, true);
      const ready = numberOf(await poll.async(asked, 1, ms));
      const told = view.getInt16(6, true);
      if (ready > 0 && (told & POLLIN) === 0) throw new Error("it was unplugged");
      return ready > 0;
    },
  };
}
