import type { Command } from "commander";
import { UsageError } from "../report/failure.ts";
import { collect, positive, wholeFrom } from "./arguments.ts";
import { addOpening, type OpenFlags, openingOf } from "./opening.ts";
import { onInterrupt, Progress } from "./terminal.ts";

interface Flags extends OpenFlags {
  readonly host: string;
  readonly port: number;
  readonly rate: number;
  readonly loop: boolean;
  readonly origin?: readonly string[];
}

const NOTES = `
The stream is one of the Foxglove WebSocket protocol with ROS 2's messages: open it with "depthloom replay ws://…", in the viewer, in
Foxglove or in Lichtblick. Frames come at the pace they were recorded, with the time of now; they play while somebody listens. A client
that is too slow misses frames, and is told which by /depthloom/index. Depth of millimetres is sent as it is, in other units as metres.
Pages of this machine may listen; others of the web only where --origin names them, such as https://app.foxglove.dev ("*": all).
Anybody who reaches --host can listen: 0.0.0.0 is the whole network. Ctrl-C ends it.`;

export function addServe(program: Command): void {
  const command = program
    .command("serve <recording>")
    .description("play a recording as a live stream")
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <n>", "the port; 0 takes a free one", wholeFrom(0), 8765)
    .option("--rate <x>", "2 plays twice as fast as it was recorded", positive, 1)
    .option("--no-loop", "play once, and end")
    .option("--origin <origin>", "let pages of this origin listen; may be repeated", collect);
  addOpening(command).option("--verbose", "show where an error came from").addHelpText("after", NOTES).action(runServe);
}

async function runServe(path: string, flags: Flags): Promise<void> {
  const { host, port, rate, loop, origin: origins = [] } = flags;
  if (port > 65535) throw new UsageError("--port: it must be from 0 to 65535");
  const { openRecording } = await import("../../sources/index.ts");
  const { StreamServer } = await import("../serve/server.ts");
  const progress = new Progress();
  const interrupt = onInterrupt();
  const recording = await openRecording(path, openingOf(flags));
  try {
    const warn = (line: string) => progress.log(`warning: ${line}`);
    for (const line of recording.warnings) warn(line);
    const server = new StreamServer(recording, { host, port, rate, loop, origins, warn });
    interrupt.signal.addEventListener("abort", () => void server.close());
    const address = await server.open().catch((error: Error) => {
      throw Object.assign(error, { path: `${host}:${port}` });
    });
    progress.log(`${path}: ${recording.length} frames at ${recording.fps} per second on ${address} (Ctrl-C ends it)`);
    await server.ended;
    await server.close();
    progress.log(
      `${server.sent} frames sent${server.dropped > 0 ? `, ${server.dropped} messages dropped for slow clients` : ""}`,
    );
    process.exitCode = interrupt.status;
  } finally {
    await recording.close();
    await interrupt.release();
  }
}
