import axe from "axe-core";
import type { Page } from "playwright-core";

/** axe-core's findings on a page, by rule, with the HTML of each element concerned. */
export async function axeFindings(page: Page, ...except: readonly string[]) {
  // The page's policy refuses scripts from elsewhere, so axe-core is passed as text.
  await page.evaluate(axe.source);
  return page.evaluate(async (ignored) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
    const found = violations.filter(({ id }) => !ignored.includes(id));
    return found.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
  }, except);
}
