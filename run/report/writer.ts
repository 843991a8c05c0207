import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

// Which process writes somewhere, as a line of text that tells the process from all others. A process number alone does not: after a
// restart, in another container, and on another machine with the same storage, another process has the same number.

/** The line about a process of this machine: its number, the machine, the machine's start, the room of its numbers, and its own start. */
export async function writerOf(pid: number): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const room = await readlink("/proc/self/ns/pid").catch(() => "");
  // Behind the name in brackets, the first field is the process's state ("Z": it has ended), and the 20th the time when it began (proc(5)).
  const fields = (await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")).replace(/^.*\) /s, "").split(" ");
  const began = /[ZX]/.test(fields[0]) ? "" : (fields[19] ?? "");
  return [pid, hostname(), boot.trim(), room, began].join(" ");
}

/** Whether the process of such a line, another one than this, still runs; `undefined` where that cannot be known here. */
export async function runsStill(writer: string): Promise<boolean | undefined> {
  const [number, host, boot, room, began] = writer.split(" ");
  const pid = Number(number);
  if (!(pid > 0)) return false;
  const [, ownHost, ownBoot, ownRoom, now] = (await writerOf(pid)).split(" ");
  // Earlier versions wrote the number alone.
  if (host === undefined) return isRunning(pid) ? undefined : false;
  if (host !== ownHost) return undefined;
  if (boot !== ownBoot) return false;
  if (room !== ownRoom) return undefined;
  if (pid === process.pid) return false;
  if (began) return began === now;
  // Without /proc another process may have the number by now.
  return isRunning(pid) ? undefined : false;
}

/** Whether a process of this machine has that number. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
