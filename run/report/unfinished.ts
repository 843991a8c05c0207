import { createHash } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { version } from "../../package.json";
import type { OpenOptions, Recording } from "../../sources/index.ts";
import { naming } from "../../write/disk.ts";
import { OutputError, RequestError } from "./failure.ts";
import { textLeft, writeWhole } from "./files.ts";
import { runsStill, writerOf } from "./writer.ts";

/** The name of the file beside an unfinished result, OUT.partial, that says which run the result comes from, and which process writes. */
export const identityOf = (partial: string): string => `${partial}.json`;

/** The facts that tell a recording from all others, even under the same name, and the options that decide how its depth is read. */
export async function recordingIdentity(
  input: string,
  recording: Recording,
  opening: OpenOptions = {},
): Promise<object> {
  const { format, length, timestampOf } = recording;
  const { format: as, topic, metresPerUnit, invalid, minConfidence, intrinsics, fps } = opening;
  const times = [timestampOf?.(0), timestampOf?.(length - 1)];
  const how = { as, topic, metresPerUnit, invalid, minConfidence, intrinsics, fps };
  return { version, input: resolve(input), format, length, times, depth: await firstDepthOf(recording), how };
}

/** A hash of the first frame's depth; `undefined` where that frame is damaged. */
async function firstDepthOf(recording: Recording): Promise<string | undefined> {
  const { depth } = (await recording.read(0).catch(() => undefined)) ?? {};
  return depth && createHash("sha256").update(depth.data).digest("base64");
}

/** For how many minutes a run may give no sign of life: its threads may be at work, and clocks of machines differ. */
const SILENT_MIN = 5;

/** How a run takes up what an earlier one left. */
interface Begin {
  /** All that decides about the result; `undefined` where a run cannot go on, as with a live source. */
  readonly same: object | undefined;
  /** Whether an unfinished result of another run may be removed, also one whose writer, on another machine, cannot be asked. */
  readonly force: boolean;
  /** Whether an unfinished result of another run gives way without that, too. */
  readonly givesWay?: boolean;
  /** Whether this run has begun again, so that what it wrote before is removed, and is not gone on with later. */
  readonly isAgain?: boolean | undefined;
  /** Throws where the whole result's place is taken; called again here, since another run may have ended there since the first check. */
  isFree(): Promise<unknown>;
  /** Removes the unfinished result. `isKnown`: a file says which run the unfinished result comes from. */
  clear(isKnown: boolean): Promise<unknown>;
}

/**
 * Begins an unfinished result. Resolves to true where there is one of the same run, which then goes on. An unfinished result of another run
 * is cleared with `force`, else refused by a `RequestError`; so is one whose writer is of another machine and gave a sign of life lately.
 * One that a running process writes is refused by an `OutputError`. If several runs begin at once, only one begins.
 */
export async function goesOn(
  partial: string,
  { same, force, givesWay = force, isAgain = false, isFree, clear }: Begin,
): Promise<boolean> {
  const path = identityOf(partial);
  const text = JSON.stringify(same) ?? "";
  const said = await textLeft(path);
  const [before, told, writer = "", ...notes] = (said ?? "").split("\n");
  const busy = (who: string) =>
    new OutputError(`${partial}: ${who} is writing there; wait until it ends, or choose another place`);
  // A scan writes this before there is anything of its result.
  const runs = await runsStill(writer);
  const [pid, host] = writer.split(" ");
  if (runs) throw busy(`process ${pid}`);
  if (runs === undefined && !force && (await isAlive(path)))
    throw new RequestError(
      `${partial}: process ${pid}${host ? ` on ${host}` : ""} may be writing there, as ${path} says; wait until it ends, or ${SILENT_MIN} minutes from when it was killed, or take its place`,
      "force",
    );
  const isThere = (await stat(partial).catch(() => undefined)) !== undefined;
  const isSame = same !== undefined && before === text;
  if (isThere && !isSame && !givesWay) {
    const advice = before
      ? "give the same options to go on, or choose another place"
      : "move it away, or choose another place";
    throw new RequestError(`${partial}: an unfinished result of another run is there; ${advice}`, "force");
  }
  const goes = isThere && isSame && told === FIRST && !isAgain;
  // A killed run may have left half of the last note.
  const own = await writerOf(process.pid);
  const mine = (how: string) => [text, how, own, ...(goes ? notes.slice(0, -1) : []), ""].join("\n");
  // A run that is killed while it clears leaves nothing to go on with.
  if (!(await takes(path, said, mine(goes ? FIRST : "again")))) throw busy("another run");
  let clears = false;
  try {
    await isFree();
    clears = isThere && !goes;
    if (clears) await clear(Boolean(before));
  } catch (error) {
    // What was cleared in part is nothing to go on with.
    if (clears) await writeWhole(path, `${text}\nagain\n`);
    else await (said === undefined ? settled(partial) : writeWhole(path, said));
    throw error;
  }
  if (!goes && !isAgain) await writeWhole(path, mine(FIRST));
  livesOn(path);
  return goes;
}

/** Gives the file a new time every minute, until it is removed: by this sign of life runs on other machines know that this one goes on. */
function livesOn(path: string): void {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => clearInterval(timer));
  }, 60_000);
  timer.unref();
}

/** Whether the writer of a file gave a sign of life in the last minutes. */
const isAlive = async (path: string) =>
  Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) < SILENT_MIN * 60_000;

/**
 * Writes the file at `path`, which may still have what an ended run wrote, `said`. Returns whether this run did it: if several runs begin
 * at once, only one can move the old file away, and only one can create the new one.
 */
async function takes(path: string, said: string | undefined, mine: string): Promise<boolean> {
  const old = `${path}.${process.pid}`;
  try {
    if (said !== undefined) {
      await rename(path, old);
      if ((await readFile(old, "utf8")) !== said) {
        // Another run has begun meanwhile, and gets its file back; unlike `rename`, `link` replaces none.
        await link(old, path).catch(() => {});
        await rm(old, { force: true });
        return false;
      }
    }
    await naming(path, writeFile(path, mine, { flag: "wx" }));
    await rm(old, { force: true });
    return await isHeld(path, mine);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || (code === "ENOENT" && said !== undefined)) {
      await rm(old, { force: true });
      return false;
    }
    await rename(old, path).catch(() => rm(path, { force: true }));
    throw error;
  }
}

/** Whether the file is still `mine`. The file may be away for a moment, while another run sees that it came too late. */
async function isHeld(path: string, mine: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    const now = await readFile(path, "utf8").catch(() => undefined);
    if (now !== undefined) return now === mine;
    await setTimeout(10);
  }
  return false;
}

/** Notes beside an unfinished result that a frame of the recording cannot be read, for the run that goes on with the result. */
export const noteUnreadable = (partial: string, index: number): void =>
  appendFileSync(identityOf(partial), `${index}\n`);

/** The frames that the runs before could not read. */
export async function unreadableOf(partial: string): Promise<readonly number[]> {
  const [, , , ...notes] = (await readFile(identityOf(partial), "utf8")).split("\n");
  return notes.filter(Boolean).map(Number);
}

/** Whether a run that can be gone on with left this result. */
export const isUnfinished = (partial: string): boolean => existsSync(partial) && existsSync(identityOf(partial));

const FIRST = "first";

/** Removes what said where an unfinished result came from, when the result is whole. */
export const settled = (partial: string): Promise<void> => rm(identityOf(partial), { force: true });
