import { expect, test } from "vitest";
import { settingsPage } from "./settingsPage.ts";

// The docs' page of settings is the viewer's own tables: a pane or a colour that is added to these stands on the page.

test("docs/viewerSettings.md has every pane, colour and setting as the tables have them", async () => {
  await expect(settingsPage()).toMatchFileSnapshot("../../docs/viewerSettings.md");
});
