import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs";

const ABANDONED_MS = 60_000;

/**
 * Runs `work` while no other process runs work under the same folder `lock`; a second process waits. The working process renews the lock
 * again and again, so a lock older than a minute was left by a process that was killed.
 * @param {string} lock
 * @param {() => Promise<unknown>} work
 */
export async function withLock(lock, work) {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > ABANDONED_MS) rmSync(lock, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const working = setInterval(() => utimesSync(lock, new Date(), new Date()), ABANDONED_MS / 6);
  try {
    await work();
  } finally {
    clearInterval(working);
    rmSync(lock, { recursive: true, force: true });
  }
}
