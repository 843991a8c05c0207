import { write } from "node:fs";
import { promisify } from "node:util";
import { loadDriver } from "../drivers/index.ts";
import { koffiFfi } from "../ffi/koffi.ts";
import { here } from "../ffi/thisComputer.ts";
import { CameraHost } from "./host.ts";
import type { Request } from "./wire.ts";

// The process that reads one camera. A crash of a vendor's library ends this process alone. The build makes dist/camera.js of it.

/** The pipe for frames: the file descriptor after standard input, output and error. */
const FRAMES = 3;
const writePart = promisify(write);

const host = new CameraHost(async (name) => loadDriver(name, await koffiFfi(), here), {
  answer: (answer) => void process.send?.(answer),
  // The driver's own memory is written, on a thread of Node's pool. The pipe blocks that thread while the reader is busy.
  async write(parts) {
    for (const part of parts) {
      for (let at = 0; at < part.length; ) at += (await writePart(FRAMES, part, at)).bytesWritten;
    }
  },
  now: () => performance.timeOrigin + performance.now(),
});

process.on("message", (request: Request) => void host.receive(request));
// The process that shows the camera is gone, or wants no more of it.
process.on("disconnect", () => {
  host.close();
  // A library that does not come back from closing must not keep the camera.
  setTimeout(() => process.exit(), 1000).unref();
});
// Ctrl-C in a terminal, or its end, reaches this process, too; the process that shows the camera ends this one when it is ready.
process.on("SIGINT", () => {}).on("SIGHUP", () => {});
