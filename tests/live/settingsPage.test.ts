import { expect, test } from "vitest";
import { settingsPage } from "./settingsPage.ts";

// The docs' page of settings is written from the viewer's tables; a pane or colour added to them appears on the page.

test("docs/viewerSettings.md has every pane, colour and setting as the tables have them", async () => {
  await expect(settingsPage()).toMatchFileSnapshot("../../docs/viewerSettings.md");
});
