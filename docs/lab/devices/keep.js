// Keeps a report for docs/lab/devices.md, without its measurements:
//
//     node docs/lab/devices/keep.js report.json h200 "An idle machine."
//     npx vitest run tests/bench/devicesPage.test.ts -u
//
// report.json is what `depthloom report --json` wrote; the last argument says what a reader has to know of the machine.
import { readFileSync, writeFileSync } from "node:fs";

const [from, name, remark] = process.argv.slice(2);
if (!from || !/^\w+$/.test(name ?? "") || !remark) {
  process.stderr.write(
    'usage: node docs/lab/devices/keep.js REPORT.json NAME "what a reader has to know of the machine"\n',
  );
  process.exit(2);
}
const report = JSON.parse(readFileSync(from, "utf8"));
const studies = report.studies.map(({ measurements, ...summary }) => summary);
const file = new URL(`${name}.json`, import.meta.url);
writeFileSync(file, `${JSON.stringify({ remark, ...report, studies }, null, 1)}\n`);
