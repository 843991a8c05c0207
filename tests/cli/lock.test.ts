import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../cli/lock.js";
import { useFolder } from "../sources/fixtures.ts";
import { turns } from "../turns.ts";

// Builds that start at the same time run one after the other, also after a build was killed.

const disk = useFolder();

test("withLock lets one work and the other wait, and lets the next in after a failure", async () => {
  const lock = join(disk.root, "building");
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await turns();
    log.push(`${name} ends`);
    throw new Error(name);
  };
  const both = await Promise.allSettled([withLock(lock, work("one")), withLock(lock, work("other"))]);
  expect(log).toEqual(["one begins", "one ends", "other begins", "other ends"]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(existsSync(lock)).toBe(false);
});

test("withLock takes over a lock that was left long ago", async () => {
  const lock = join(disk.root, "left");
  mkdirSync(lock);
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(lock, longAgo, longAgo);
  let worked = false;
  await withLock(lock, async () => {
    worked = true;
  });
  expect(worked).toBe(true);
});
