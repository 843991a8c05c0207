import { expect, test } from "vitest";
import * as panes from "../../viewer/live/panes/list.ts";
import { settingsPage } from "./settingsPage.ts";

// The docs' page of settings is written from the viewer's tables; a pane or colour added to them appears on the page.

test("docs/viewerSettings.md has every pane, colour and setting as the tables have them", async () => {
  await expect(settingsPage()).toMatchFileSnapshot("../../docs/viewerSettings.md");
});

test("no two panes have one key, since the page refuses to start with such keys", () => {
  const keys = Object.values(panes).map(({ key }) => key);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
