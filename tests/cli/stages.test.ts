import { expect, test } from "vitest";
import { defaultNames, registry } from "../../stages/registry.ts";
import { depthloom } from "./command.ts";

// The command `stages` prints what the registry and the schemas say.

interface Told {
  readonly name: string;
  readonly byDefault: boolean;
  readonly parameters: readonly (Record<string, unknown> & { readonly name: string })[];
}

test("stages --json has every stage and parameter, with range, default and unit", async () => {
  const { status, stdout, stderr } = await depthloom("stages", "--json");
  expect([status, stderr]).toEqual([0, ""]);
  const told = JSON.parse(stdout) as { defaultStages: string[]; stages: Told[] };
  expect(told.defaultStages).toEqual(defaultNames());
  expect(told.stages.map(({ name }) => name)).toEqual([...registry.keys()]);
  for (const { name, parameters } of told.stages) {
    const schema = registry.get(name)?.schema ?? {};
    expect(parameters.map((one) => one.name)).toEqual(Object.keys(schema));
    for (const one of parameters) {
      const { initial, min, max, step, choices, summary } = schema[one.name] ?? {};
      const expected = JSON.parse(JSON.stringify({ default: initial, min, max, step, choices, summary }));
      expect(one).toMatchObject(expected);
    }
  }
});

test("stages prints a line for each parameter, the default stages, and how to set a parameter", async () => {
  const { status, stdout } = await depthloom("stages");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^median \(filter, place 2, by default\): /m);
  expect(stdout).toMatch(/^ {2}sigmaSpacePx +8 +a whole number from 2 to 64 +how far smoothing reaches/m);
  expect(stdout).toContain(`By default replay runs ${defaultNames().join(",")}`);
  expect(stdout).toContain("--set stage.parameter=value");
});
