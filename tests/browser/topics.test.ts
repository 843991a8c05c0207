import { expect, test } from "vitest";
import { depthUnits, rows16 } from "../sources/logs/frames.ts";
import { mcapOf } from "../sources/logs/mcap.ts";
import * as write from "../sources/logs/messages.ts";
import { useApp } from "./app.ts";
import { POLL } from "./appPage.ts";

// A file with several depth topics in the viewer: the first plays, and the masthead offers the others.

const app = useApp();

test("a file with two depth topics plays the first, and the second when the user chooses it", async () => {
  const it = await app.open("source=none&backend=cpu");
  const { page } = it;
  const image = write.ros2Image({ encoding: "16UC1", data: rows16(depthUnits(0)) });
  // The second topic has half the frame rate.
  const entries = [0, 1, 2, 3].flatMap((i) => [
    { topic: "/near", time: i * 100, message: image },
    { topic: "/far", time: i * 200, message: image },
  ]);
  await it.drop("two.mcap", await mcapOf(entries, { compression: "zstd" }));
  const facts = page.locator("#masthead .facts");
  const rate = () => facts.textContent();
  await expect.poll(rate, POLL).toMatch(/^MCAP · 6 × 4 · 10 fps · CPU$/);
  const choice = page.getByLabel("Depth topic");
  expect(await choice.locator("option").allTextContents()).toEqual(["/near", "/far"]);
  await choice.first().selectOption("/far");
  await expect.poll(rate, POLL).toMatch(/ · 5 fps · CPU$/);
  expect(await choice.first().inputValue()).toBe("/far");
});
