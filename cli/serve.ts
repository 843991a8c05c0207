import type { Command } from "commander";
import { shownAddress } from "../core/address.ts";
import { counted, plain } from "../core/check.ts";
import { isRecording, type Source } from "../core/source.ts";
import { RequestError } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { isLivePlace, openPlace, warningsOf } from "../run/report/place.ts";
import { notes, Progress } from "../run/report/terminal.ts";
import { collect, positive, token, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, isChoice, namesOf } from "./choice.ts";
import {
  addLive,
  addOpening,
  checkPlace,
  type LiveFlags,
  liveOf,
  type OpenFlags,
  openingOf,
  openUntil,
  PAIR,
} from "./opening.ts";

/** How many frames of what is live may wait for the filters: a second; the first frames take longer than half of one. */
export const BACKLOG = 30;

/** The command-line options that say who may listen to a stream, and where. */
export interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly rate: number;
  readonly origin?: readonly string[];
  readonly token?: string;
  readonly maxClients: number;
}

interface ServeCommandFlags extends OpenFlags, LiveFlags, ServeFlags, ChoiceFlags {
  readonly loop: boolean;
  readonly pair?: true;
}

const NOTES = `
Open the stream with "depthloom replay ws://…" or in the viewer, which get depth as it is, or in Foxglove or Lichtblick, by the Foxglove WebSocket
protocol with ROS 2's messages: depth of millimetres as it is, in other units as metres, and each frame's number as /depthloom/index. Frames come at
the pace they were recorded, with the time of now; they play while somebody listens. A client that is too slow misses frames and gets the newest
next; one that neither reads nor answers is cut off.
--infrared lets Depthloom's clients ask for infrared images, which add 1 or 2 bytes a pixel to their frames: 9 MB/s at 640x480 and 30 per second.
--stages, --set, --settings or a --preset filter what is served, while somebody listens.
Pages of this machine may listen; others of the web only where --origin names them, such as https://app.foxglove.dev ("*": all).
--host 0.0.0.0 lets the whole network listen, unencrypted; who listens there needs the address with the token that is printed. Ctrl-C ends it.`;

/** Adds these options to a command that serves a stream. */
export const addServing = (command: Command): Command =>
  command
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <n>", "the port; 0 takes a free one", wholeFrom(0), 8765)
    .option("--max-clients <n>", "how many may listen at once", wholeFrom(1), 16)
    .option(
      "--token <text>",
      "the token that a client's address must have as ?token=…; made up unless --host is this machine alone",
      token,
    )
    .option("--origin <origin>", "let pages of this origin listen; may be repeated", collect);

export function servingOf({ host, port, token, maxClients, origin: origins = [] }: ServeFlags) {
  if (port > 65535) throw new RequestError("--port: it must be from 0 to 65535");
  return { host, port, origins, token, maxClients };
}

export function addServe(program: Command): void {
  const command = program
    .command("serve <recording>")
    .description("play a recording as a live stream, or hand on a camera (camera:realsense) or another live stream")
    .option("--rate <x>", "2 plays twice as fast as it was recorded", positive, 1)
    .option("--no-loop", "play once, and end")
    .option("--pair", `${PAIR}; the stream has 2 or 4 more bytes a pixel`);
  addServing(addChoice(command, "auto"));
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runServe);
}

/** The source with filtered frames: the stages run while somebody listens. */
async function filteredOf(source: Source, recording: string, flags: ServeCommandFlags, warn: (line: string) => void) {
  const { filteredSource, filtersOf } = await import("../run/filter/filter.ts");
  const { chooseStages } = await import("../run/replay/settings.ts");
  const { backend, adapter, noise, rate, loop } = flags;
  const choose = () => filtersOf(chooseStages(namesOf(flags), flags.settings, flags.set, flags.preset));
  // A wrong choice fails now, not when somebody listens.
  choose();
  const request = { recording, backend, adapter, noise, rate, loop, paced: true, backlog: BACKLOG, frames: undefined };
  return filteredSource(source, request, choose, warn);
}

async function runServe(path: string, flags: ServeCommandFlags): Promise<void> {
  const { rate, loop } = flags;
  const serving = servingOf(flags);
  const { StreamServer } = await import("../run/serve/server.ts");
  const progress = new Progress();
  const interrupt = onInterrupt();
  // A recording's infrared images are read when a client asks for them.
  const live = liveOf(path, isLivePlace(path) ? flags : { ...flags, infrared: undefined });
  const opening = { ...openingOf(flags), ...live, pair: flags.pair === true || isChoice(flags) };
  checkPlace(path, opening);
  const source: Source = isLivePlace(path) ? await openPlace(path, opening) : await openUntil(interrupt, path, opening);
  try {
    const warn = (line: string) => progress.log(`warning: ${plain(line)}`);
    const recording = isRecording(source) ? source : undefined;
    for (const line of warningsOf(source)) warn(line);
    const served = isChoice(flags) ? await filteredOf(source, path, flags, warn) : source;
    const gives = { infrared: flags.infrared === true, pair: flags.pair === true && ("asked" as const) };
    const server = new StreamServer(served, { ...serving, rate, loop, ...gives, warn });
    interrupt.signal.addEventListener("abort", () => void server.close());
    const [address, ...others] = await server.open().catch((error: Error) => {
      throw Object.assign(error, { path: `${flags.host}:${flags.port}` });
    });
    const what = recording ? `${counted(recording.length, "frame")} at ${recording.fps} per second` : "live";
    progress.log(`${shownAddress(path)}: ${what} on ${address} (Ctrl-C ends it)`);
    for (const other of others) progress.log(`also on ${other}`);
    const failed = await server.ended;
    await server.close();
    const { sent, dropped, cutOff } = server;
    const slow = dropped > 0 ? `, ${dropped} dropped for slow clients` : "";
    progress.log(`${counted(sent, "frame")} sent${slow}${cutOff > 0 ? `, ${counted(cutOff, "client")} cut off` : ""}`);
    if (failed !== undefined) throw failed;
  } finally {
    await source.close();
    await interrupt.release();
  }
}
