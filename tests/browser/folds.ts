import type { Page } from "playwright-core";

// What stands behind a menu, a button or a fold of the page.

/** Takes up a tool of the menu Measure. */
export async function takeUp(page: Page, tool: string): Promise<void> {
  const menu = page.locator(".measure-menu");
  await menu.locator("summary").click();
  await menu.getByRole("button", { name: new RegExp(`^${tool}`) }).click();
}

/** Opens the tools of a pane, if its head is too narrow for them. */
export async function openTools(page: Page, pane: string): Promise<void> {
  const more = page.getByRole("button", { name: `Tools of ${pane.toLowerCase()}` });
  if (await more.isVisible()) await more.click();
}

/** Opens a folded part of the settings. */
export const openFold = (page: Page, name: string): Promise<void> =>
  page
    .locator("details.fold", { hasText: name })
    .first()
    .evaluate((fold) => {
      (fold as HTMLDetailsElement).open = true;
    });
