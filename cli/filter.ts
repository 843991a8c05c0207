import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { untilAborted } from "../core/abort.ts";
import { isAddress, shownAddress } from "../core/address.ts";
import { counted, plain } from "../core/check.ts";
import type { FilterResult } from "../run/filter/filter.ts";
import type { Sink } from "../run/filter/sink.ts";
import { FORMS, type Form } from "../run/publish/forms.ts";
import { describe, RequestError, statusOf } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { isLivePlace, openPlace, STDIN } from "../run/report/place.ts";
import { NOTED, notes, Progress, print } from "../run/report/terminal.ts";
import type { DepthFrame, Source } from "../sources/index.ts";
import { collect, positive, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, namesOf } from "./choice.ts";
import { addLive, addOpening, checkPlace, type LiveFlags, liveOf, type OpenFlags, openingOf } from "./opening.ts";
import { addServing, BACKLOG, type ServeFlags, servingOf } from "./serve.ts";

interface FilterFlags extends ChoiceFlags, OpenFlags, LiveFlags, ServeFlags {
  readonly to?: readonly string[];
  readonly publish?: string;
  readonly as?: readonly Form[];
  readonly frameId?: string;
  readonly backlog: number;
  readonly frames?: number;
  readonly loop?: true;
  readonly force?: true;
  readonly json?: true;
}

const NOTES = `
IN is a live stream (ws://…), a camera (camera:realsense …), a recording, or - for raw frames on standard input. --to may be repeated:
  ws://host:port  publish in that ROS graph, through foxglove_bridge (with clientPublish) or rosbridge
  serve           a live stream of its own, as "depthloom serve" gives; --host, --port, --token, --origin, --max-clients
  FILE.mcap       record the filtered depth
  -               raw frames of 16 bits, little-endian, on standard output; the first line of the log says their size and unit
Without --to, depth goes back to the bridge that it came from: /camera/depth/image_rect_raw gives /camera/depth_filtered/image_raw and
/camera/depth_filtered/camera_info, with the source's encoding, unit, frame_id and time stamp. --publish /elsewhere names another place.
--topic may name several topics of a bridge, with commas between them: all are filtered by this one process. Files get the topic in their
names, streams ports one after the other, and on standard output a line of JSON before each frame says its topic, size and unit.
A recording is played at its pace, unless it goes to files and standard output alone; those get every frame. Of what is live up to --backlog
frames wait where the filters are slow for a moment; more are left out, all but the newest, and counted. Lost connections are made again.
Ctrl-C or SIGTERM ends it, after the frames that were taken have been handed on and files are complete, with status 130 or 143. A file is
called FILE.mcap.partial until it has all frames.`;

/** Parses the forms of --as. */
function forms(text: string): readonly Form[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !FORMS.includes(name as Form));
  if (wrong === undefined) return names as Form[];
  throw new InvalidArgumentError(`It must be of ${FORMS.join(", ")}, with commas between them.`);
}

/** Parses a ROS namespace. */
function namespace(text: string): string {
  if (/^\/?[A-Za-z]\w*(\/[A-Za-z]\w*)*\/?$/.test(text)) return `/${text.replace(/^\/|\/$/g, "")}`;
  throw new InvalidArgumentError("It must be a ROS namespace, such as /camera/depth_filtered.");
}

export function addFilter(program: Command): void {
  const command = program
    .command("filter <in>")
    .description("filter depth without end and hand it on: back into ROS, as a live stream, to a file, to a program")
    .option("--to <out>", "where to: ws://…, serve, FILE.mcap, -; may be repeated (default: the bridge of IN)", collect)
    .option("--publish <namespace>", "of the topics in ROS (default: by the source's topic)", namespace)
    .option("--as <forms>", `what is published: ${FORMS.join(", ")} (default: image)`, forms)
    .option("--frame-id <name>", "of what is published (default: the source's)")
    .option("--backlog <n>", "of a live source, how many frames may wait", wholeFrom(1), BACKLOG)
    .option("--rate <x>", "2 plays a recording twice as fast as it was recorded", positive, 1)
    .option("--loop", "play a recording again and again; a file gets the first round")
    .option("--frames <n>", "how many frames at most", wholeFrom(1))
    .option("--force", "replace the .mcap file that an earlier run wrote")
    .option("--json", "print one JSON document at the end");
  addServing(addChoice(command, "auto"));
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runFilter);
}

/** Where filtered frames go. */
interface Places {
  readonly bridges: readonly string[];
  readonly serves: boolean;
  readonly raw: boolean;
  readonly file: string | undefined;
  /** The number of the topic among several. */
  readonly several?: number;
}

function placesOf(input: string, { to, json, publish, as, frameId, token, origin }: FilterFlags): Places {
  if (to === undefined && !isAddress(input))
    throw new RequestError("--to is missing: ws://host:port, serve, FILE.mcap, or - for standard output");
  const all = [...new Set(to ?? [input])];
  const files = all.filter((place) => /\.mcap$/i.test(place));
  const bridges = all.filter(isAddress);
  const odd = all.find(
    (place) => place !== "serve" && place !== "-" && !files.includes(place) && !bridges.includes(place),
  );
  if (odd !== undefined) throw new RequestError(`--to ${odd}: it must be ws://host:port, serve, FILE.mcap or -`);
  if (files.length > 1) throw new RequestError(`--to ${files[1]}: one file is written`);
  const belong = (place: string, isThere: boolean, flags: Readonly<Record<string, unknown>>) => {
    const idle = isThere ? undefined : Object.keys(flags).find((name) => flags[name] !== undefined);
    if (idle !== undefined) throw new RequestError(`--${idle} is for ${place} alone: leave it out`);
  };
  belong("a ROS bridge (--to ws://…)", bridges.length > 0, { publish, as, "frame-id": frameId });
  belong("--to serve", all.includes("serve"), { token, origin });
  if (json && all.includes("-"))
    throw new RequestError("--json prints where --to - writes frames: leave out one of them");
  return { bridges, serves: all.includes("serve"), raw: all.includes("-"), file: files[0] };
}

/** The outputs' places for one of several topics: a file's name contains the topic, and streams get successive ports. */
function severally(places: Places, topic: string | undefined, several: number | undefined): Places {
  if (several === undefined || topic === undefined) return places;
  const name = topic.replace(/^\W+/, "").replace(/\W+/g, "_");
  return { ...places, several, file: places.file?.replace(/\.mcap$/i, `.${name}.mcap`) };
}

async function runFilter(input: string, flags: FilterFlags): Promise<void> {
  const topics = flags.topic?.split(",").map((name) => name.trim()) ?? [undefined];
  const all = placesOf(input, flags);
  const progress = new Progress();
  const interrupt = onInterrupt({ renews: isLivePlace(input) });
  try {
    const gone = new AbortController();
    const signal = AbortSignal.any([interrupt.signal, gone.signal]);
    const running = topics.map(async (topic, i) => {
      const several = topics.length > 1 ? i : undefined;
      try {
        return await runOne(input, topic, severally(all, topic, several), flags, progress, signal);
      } catch (error) {
        // Where one output cannot begin, the others end what they have begun.
        gone.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(running);
    if (gone.signal.aborted && !interrupt.signal.aborted) throw gone.signal.reason;
    const ended = await Promise.all(running);
    progress.clear();
    if (flags.json)
      await print([
        `${JSON.stringify(
          ended.map(({ document }) => document),
          null,
          2,
        )}\n`,
      ]);
    const failed = ended.find(({ error }) => error !== undefined);
    process.exitCode = statusOf(failed?.error, Math.max(...ended.map(({ document }) => document.unreadable)));
  } finally {
    progress.clear();
    await interrupt.release();
  }
  // Bytes that a hanging reader has not taken by now must not keep the process alive.
  if (all.raw && interrupt.status === 0 && process.stdout.writableLength > 0) process.exit();
}

/** Filters one topic. */
async function runOne(
  input: string,
  topic: string | undefined,
  places: Places,
  flags: FilterFlags,
  progress: Progress,
  signal: AbortSignal,
) {
  const { filter, filtersOf } = await import("../run/filter/filter.ts");
  const { chooseStages } = await import("../run/replay/settings.ts");
  const { outputOf } = await import("../run/replay/outputs.ts");
  const { matcherOf } = await import("../pipeline/pair.ts");
  const chosen = filtersOf(chooseStages(namesOf(flags), flags.settings, flags.set, flags.preset));
  const { backend, adapter, noise, frames, backlog, rate, loop = false, force = false } = flags;
  // A robot's filter waits for its camera and its bridge without end, unless told otherwise.
  const { wait = Infinity } = flags;
  const waitMs = isLivePlace(input) && input !== STDIN ? 1000 * wait : undefined;
  const opening = { ...openingOf({ ...flags, topic }), ...liveOf(input, flags), waitMs };
  checkPlace(input, opening);
  const about = { recording: input, chosen, backend, adapter, noise, frames };
  const once = { policy: "lossless", start: 0, loop: 1, timeEvery: 1, outputs: false, ply: false, raw: false } as const;
  const file = (isAgain: boolean) => outputOf({ ...about, ...once, opening, out: places.file, force, isAgain });
  // Checks the file's place before anything is opened.
  await file(false);
  const paced = places.bridges.length > 0 || places.serves;
  if ((loop || rate !== 1) && !(paced && !isLivePlace(input)))
    throw new RequestError(
      "--loop and --rate play a recording at a pace: they need --to serve or a bridge, and a recording",
    );
  const name = topic === undefined ? shownAddress(input) : `${shownAddress(input)} ${topic}`;
  const log = (line: string) => progress.log(`${name}: ${line}`);
  // Nobody else looks at the pair.
  const pair = matcherOf(chosen.stages) !== undefined;
  const source = await openPlace(input, { ...opening, pair, signal });
  const sinks: Sink[] = [];
  try {
    const ends = { log, waitMs: 1000 * wait, waits: input === STDIN, topic, signal };
    await addSinks(sinks, source, places, flags, ends);
    const request = { ...about, sinks, file, paced, rate, loop, backlog };
    const result = await filter(source, request, {
      warn: (line) => log(`warning: ${plain(line)}`),
      note: (line, option) => log(`note: ${plain(line)}${option ? ` (${NOTED[option]})` : ""}`),
      progress(done, of) {
        progress.show(done, of);
      },
      stop: signal,
    });
    for (const line of tellOf(result, sinks, places.file)) log(line);
    return { document: documentOf(name, result, sinks, places.file), error: result.error };
  } catch (error) {
    // What cannot begin leaves no connection open.
    await Promise.allSettled(sinks.map((sink) => sink.close()));
    throw error;
  } finally {
    await source.close();
  }
}

/** Connects to the places. Sinks that were connected before an error are in `sinks`, too. */
async function addSinks(
  sinks: Sink[],
  source: Source,
  { bridges, serves, raw, several }: Places,
  flags: FilterFlags,
  ends: {
    readonly log: (line: string) => void;
    readonly waitMs: number;
    readonly waits: boolean;
    readonly topic: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { log, waitMs, waits, topic, signal } = ends;
  const { BridgeSink, RawSink, ServeSink } = await import("../run/filter/sink.ts");
  const { Bridge } = await import("../run/publish/bridge.ts");
  const warn = (line: string) => log(`warning: ${plain(line)}`);
  const { publish, as, frameId } = flags;
  for (const address of bridges) {
    const open = () => Bridge.open(address, { waits, waitMs, warn });
    const bridge = await untilAborted(signal, open, (late) => late.close());
    sinks.push(new BridgeSink(bridge, { namespace: publish, forms: as, frameId }, shownAddress(address)));
  }
  if (serves) {
    const tell = (addresses: readonly string[]) => log(`filtered on ${addresses.join(" and ")} (Ctrl-C ends it)`);
    const { port } = flags;
    const serving = servingOf({ ...flags, port: port === 0 ? 0 : port + (several ?? 0) });
    sinks.push(new ServeSink(source, { ...serving, rate: 1, loop: true, warn }, tell));
  }
  if (raw) {
    const first = ({ depth: { shape }, metresPerUnit }: DepthFrame) =>
      log(`raw frames of ${shape[1]}x${shape[0]}, in units of ${metresPerUnit} m`);
    sinks.push(new RawSink(process.stdout, first, several === undefined ? undefined : topic, warn));
  }
}

function tellOf(
  { done, error, dropped, leftOut, gone, lateMs, live, isWhole, isResumable, unreadable }: FilterResult,
  sinks: readonly Sink[],
  file?: string,
) {
  const resumes = isResumable ? "; the same command goes on from there" : "";
  const parts = [
    `${counted(done, "frame")} filtered`,
    dropped > 0 && `${dropped} left out`,
    unreadable > 0 && `${unreadable} that could not be read left out`,
    gone > 0 && `about ${gone} lost while there was no connection`,
    live && live.reconnects > 0 && `connected again ${live.reconnects} times`,
    live && live.overtaken > 0 && `${live.overtaken} left out, whose times ran back`,
    lateMs && `${lateMs.p50} ms from arrival until handed on (p95 ${lateMs.p95})`,
  ];
  return [
    ...sinks.map((sink, i) => sink.told() + slowly(leftOut[i])),
    ...(file === undefined
      ? []
      : [`written to ${isWhole ? file : `${file}.partial, a part of it${resumes}`}${slowly(leftOut[sinks.length])}`]),
    parts.filter(Boolean).join(", "),
    ...(error === undefined ? [] : [`failed: ${describe(error)}`]),
  ];
}

const slowly = (leftOut = 0) => (leftOut > 0 ? `, ${leftOut} left out because it was too slow` : "");

function documentOf(name: string, result: FilterResult, sinks: readonly Sink[], file?: string) {
  const { done, error, dropped, leftOut, gone, lateMs, live, unreadable } = result;
  const to = [...sinks.map(({ report }) => report), ...(file === undefined ? [] : [{ to: file }])];
  const each = to.map((report, i) => ({ ...report, leftOut: leftOut[i] }));
  const failed = error === undefined ? null : describe(error);
  return { in: name, frames: done, dropped, unreadable, gone, lateMs, live, to: each, error: failed };
}
