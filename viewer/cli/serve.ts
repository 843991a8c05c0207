import type { Command } from "commander";
import { shownAddress } from "../../sources/core/address.ts";
import { plain } from "../../sources/core/check.ts";
import { isRecording, type Source } from "../../sources/core/source.ts";
import { UsageError } from "../report/failure.ts";
import { checkPlace, isLivePlace, openPlace, warningsOf } from "../report/place.ts";
import { collect, positive, token, wholeFrom } from "./arguments.ts";
import { notes } from "./notes.ts";
import { addLive, addOpening, type LiveFlags, liveOf, type OpenFlags, openingOf, openUntil } from "./opening.ts";
import { onInterrupt, Progress } from "./terminal.ts";

interface Flags extends OpenFlags, LiveFlags {
  readonly host: string;
  readonly port: number;
  readonly rate: number;
  readonly loop: boolean;
  readonly origin?: readonly string[];
  readonly token?: string;
  readonly maxClients: number;
}

const NOTES = `
Open the stream with "depthloom replay ws://…" or in the viewer, which get depth as it is, or in Foxglove or Lichtblick, by the Foxglove WebSocket
protocol with ROS 2's messages: depth of millimetres as it is, in other units as metres, and each frame's number as /depthloom/index. Frames come at
the pace they were recorded, with the time of now; they play while somebody listens. A client that is too slow misses frames and gets the newest
next; one that neither reads nor answers is cut off.
Pages of this machine may listen; others of the web only where --origin names them, such as https://app.foxglove.dev ("*": all).
--host 0.0.0.0 lets the whole network listen, unencrypted; who listens there needs the address with the token that is printed. Ctrl-C ends it.`;

export function addServe(program: Command): void {
  const command = program
    .command("serve <recording>")
    .description("play a recording as a live stream, or hand on a camera (camera:realsense) or another live stream")
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <n>", "the port; 0 takes a free one", wholeFrom(0), 8765)
    .option("--rate <x>", "2 plays twice as fast as it was recorded", positive, 1)
    .option("--no-loop", "play once, and end")
    .option("--max-clients <n>", "how many may listen at once", wholeFrom(1), 16)
    .option(
      "--token <text>",
      "the token that a client's address must have as ?token=…; made up unless --host is this machine alone",
      token,
    )
    .option("--origin <origin>", "let pages of this origin listen; may be repeated", collect);
  addLive(addOpening(command))
    .option("--verbose", "show where an error came from")
    .addHelpText("after", notes(NOTES))
    .action(runServe);
}

async function runServe(path: string, flags: Flags): Promise<void> {
  const { host, port, rate, loop, token, maxClients, origin: origins = [] } = flags;
  if (port > 65535) throw new UsageError("--port: it must be from 0 to 65535");
  const { StreamServer } = await import("../serve/server.ts");
  const progress = new Progress();
  const interrupt = onInterrupt();
  const opening = { ...openingOf(flags), ...liveOf(path, flags) };
  checkPlace(path, opening);
  const source: Source = isLivePlace(path) ? await openPlace(path, opening) : await openUntil(interrupt, path, opening);
  try {
    const warn = (line: string) => progress.log(`warning: ${plain(line)}`);
    const recording = isRecording(source) ? source : undefined;
    for (const line of warningsOf(source)) warn(line);
    const server = new StreamServer(source, { host, port, rate, loop, origins, token, maxClients, warn });
    interrupt.signal.addEventListener("abort", () => void server.close());
    const [address, ...others] = await server.open().catch((error: Error) => {
      throw Object.assign(error, { path: `${host}:${port}` });
    });
    const what = recording ? `${recording.length} frames at ${recording.fps} per second` : "live";
    progress.log(`${shownAddress(path)}: ${what} on ${address} (Ctrl-C ends it)`);
    for (const other of others) progress.log(`also on ${other}`);
    await server.ended;
    await server.close();
    const { sent, dropped, cutOff } = server;
    const slow = dropped > 0 ? `, ${dropped} dropped for slow clients` : "";
    progress.log(`${sent} frames sent${slow}${cutOff > 0 ? `, ${cutOff} clients cut off` : ""}`);
    process.exitCode = interrupt.status;
  } finally {
    await source.close();
    await interrupt.release();
  }
}
