import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs";

const ABANDONED_MS = 60_000;

/**
 * Does `work` while nobody else does what goes by the folder `lock`: of two that come together the second waits. Who works says so
 * again and again, so that a lock which is older than a minute was left by one that was killed.
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
