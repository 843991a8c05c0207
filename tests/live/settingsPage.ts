import { openField, PANES } from "../../viewer/live/panes/registry.ts";
import type { Field } from "../../viewer/live/state/field.ts";
import { viewSchema } from "../../viewer/live/state/settings.ts";
import { COLOURS } from "../../viewer/live/view/colours.ts";

const INTRO = `# Settings of the viewer

Every setting of the viewer has a name, which is the same in the page's address and in \`settings.json\`. The address keeps what differs
from the default: \`http://127.0.0.1:5173/#paneDepth=true&color=depth\` opens the viewer with the depth image open and the scene coloured
by distance. The parameters of the stages are set the same way, as \`median.size=5\`; [each stage's page](README.md#stages) lists them.
[Use the viewer](viewer.md) tells how the viewer is used.

The test \`tests/live/settingsPage.test.ts\` writes this page from the viewer's tables of panes, colours and settings:
\`npx vitest run tests/live/settingsPage.test.ts -u\`.
`;

const row = (...cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replace(/\s+/g, " ").replaceAll("|", "\\|")).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(...head), `|${"---|".repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join("\n");
const code = (text: string) => `\`${text}\``;

/** The docs' page of all settings, in Markdown. */
export function settingsPage(): string {
  const panes = PANES.map(({ name, label, key, summary }) => [
    label,
    (key ?? "").toUpperCase(),
    code(openField(name)),
    summary,
  ]);
  const colours = Object.entries(COLOURS).map(([name, { label, says }]) => [label, code(name), says]);
  const settings = Object.entries<Field>(viewSchema).map(([name, { label, initial, expects, summary }]) => {
    // The colours have a table of their own.
    return [code(name), label, code(String(initial)), expects, name === "color" ? "See “Colours”" : summary];
  });
  return [
    INTRO,
    "## Panes\n",
    table(["pane", "key", "setting that opens it", "what it shows"], panes),
    "\n## Colours\n",
    table(["“Colour by”", "`color`", "what the colours show"], colours),
    "\n## All settings\n",
    table(["name", "on the page", "default", "what it may be", "what it does"], settings),
    "",
  ].join("\n");
}
