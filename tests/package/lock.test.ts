import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// `npm ci` installs the intended packages on every platform: each has its hash, and comes from the public registry.

interface Entry {
  readonly link?: true;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};
// Workspaces are no packages of the registry.
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);

test("every package in package-lock.json has its hash", () => {
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
});

test("every package in package-lock.json comes from the public registry", () => {
  const strange = installed.filter(([, { resolved }]) => !resolved?.startsWith("https://registry.npmjs.org/"));
  expect(strange).toEqual([]);
});

test("package-lock.json has the builds of tools for other platforms, too", () => {
  const wanted = installed.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => `${path} wants ${name}`),
  );
  const there = new Set(installed.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  expect(wanted.length).toBeGreaterThan(30);
  expect(wanted.filter((line) => !there.has(line.split(" wants ")[1] ?? ""))).toEqual([]);
});

test("the examples for fleets name this version of the package", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const folder = "docs/examples/fleet";
  const texts = readdirSync(new URL(`../../${folder}`, import.meta.url)).map((name) => read(`${folder}/${name}`));
  const named = texts.flatMap((text) => [...text.matchAll(/\b(?:npx\b[^\n]*?|"-p", ")depthloom(@[\d.]+)?/g)]);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter(([, pinned]) => pinned !== `@${version}`)).toEqual([]);
  const tarballs = texts.flatMap((text) => text.match(/depthloom-[\d.]+\.tgz/g) ?? []);
  expect(new Set(tarballs)).toEqual(new Set([`depthloom-${version}.tgz`]));
  // The other packages are those that the tests use.
  const others = texts.flatMap((text) => [
    ...text.matchAll(/(?<=[\s"])(bullmq|ioredis|@aws-sdk\/client-s3)@([\d.]+\d)/g),
  ]);
  expect(others.length).toBeGreaterThan(4);
  const used = lock.packages as Readonly<Record<string, { readonly version?: string }>>;
  expect(others.filter(([, name, pinned]) => used[`node_modules/${name}`]?.version !== pinned)).toEqual([]);
});
