import type { Command } from "commander";
import { print } from "../run/report/terminal.ts";
import type { StageFactory } from "../stages/core/define.ts";
import type { Parameter } from "../stages/core/parameters.ts";
import { collect, USE } from "./arguments.ts";

/** The unit in a parameter's summary: it stands before a semicolon or the end. */
const UNIT = /, (px|mm per m²|mm|m|degrees|s|ms|Hz)(?=;|$)/;

export function addStages(program: Command): void {
  program
    .command("stages")
    .description("list the stages and their parameters, with ranges, defaults and units")
    .option("--use <package>", USE, collect)
    .option("--json", "print one JSON document")
    .action(async ({ json }: { readonly json?: true }) => {
      const { defaultNames, registry } = await import("../stages/registry.ts");
      const stages = [...registry.values()].map(documentOf);
      const text = () => `${stages.map(textOf).join("\n")}\n${notes(defaultNames())}`;
      await print([json ? `${JSON.stringify({ defaultStages: defaultNames(), stages }, null, 2)}\n` : text()]);
    });
}

function documentOf({ stageName, summary, role, place, byDefault, schema }: StageFactory) {
  const parameters = Object.entries(schema).map(([name, parameter]) => parameterDocument(name, parameter));
  return { name: stageName, summary, role, place, byDefault, parameters };
}

function parameterDocument(
  name: string,
  { kind, initial, summary, expects, live, fromView, min, max, step, choices }: Parameter,
) {
  return {
    name,
    kind,
    default: initial,
    unit: summary.match(UNIT)?.[1] ?? null,
    /** Whether a change takes effect without a rebuild. */
    live,
    /** Whether `replay` and the viewer set the parameter from the scene, unless the user has set it. */
    fromView: fromView ?? false,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(step === undefined ? {} : { step }),
    ...(choices === undefined ? {} : { choices }),
    expects,
    summary,
  };
}

type StageDocument = ReturnType<typeof documentOf>;

function textOf({ name, summary, role, place, byDefault, parameters }: StageDocument): string {
  const rows = parameters.map((one) => [one.name, `${one.default}`, one.expects, one.summary]);
  // A matrix's default is too long for a column.
  const fits = (cell = "") => (cell.length > 40 ? 0 : cell.length);
  const width = (column: number) => Math.max(0, ...rows.map((row) => fits(row[column])));
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(width(i)))).join("  ")}\n`;
  const head = `${name} (${role}, place ${place}${byDefault ? ", by default" : ""}): ${summary}\n`;
  return head + rows.map(line).join("");
}

const notes = (byDefault: readonly string[]) =>
  `Stages of a role run in the order of their places. Each line: a parameter, its default, what it may be, what it is. Set one with --set stage.parameter=value.
By default replay runs ${byDefault.join(",")}; --stages names others, in their order.
`;
