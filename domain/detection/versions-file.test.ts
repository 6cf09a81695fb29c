import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect } from './detect.ts';

const json = (value: unknown): string => JSON.stringify(value);
const sources: Readonly<Record<string, Record<string, string>>> = {
  go: { 'go.mod': 'module a/b\ngo 1.21\n', 'main.go': 'package main' },
  java: { 'pom.xml': '<java.version>17</java.version> spring-boot-starter' },
  elixir: { 'mix.exs': 'app: :a,\nelixir: "~> 1.15",\n{:phoenix, "~> 1.8"}' },
  php: { 'composer.json': json({ require: { php: '^8.1' } }), 'index.php': '' },
  ruby: { Gemfile: "ruby '~> 3.2'\ngem 'rack'\n", 'config.ru': '' },
  python: { 'pyproject.toml': '[project]\nrequires-python = ">=3.10"\n', 'requirements.txt': 'flask', 'app.py': '' },
  node: { 'package.json': json({ engines: { node: '>=18' }, scripts: { start: 'node .' } }) },
  dotnet: { 'shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
  deno: { 'deno.json': '{}', 'main.ts': '' },
  rust: { 'Cargo.toml': '[package]\nname = "shop"\n', 'src/main.rs': '' },
};
const web = { Procfile: 'web: serve' };

function toolOf(name: string, files: Record<string, string>, context = '') {
  const { detected, plan } = detect(treeOf(files), context);
  const tool = plan?.toolchain.find((one) => one.name === name);
  return { version: tool?.version, demand: tool?.demand?.text, signals: detected.signals };
}

/** The pin, the version that is taken of it, and the range that a machine is held to, which no pin changes. */
test.each([
  ['go', 'golang 1.23.4', '1.23.4', '>=1.21'],
  ['java', 'java temurin-21.0.2+13.0.LTS', '21', '>=17'],
  ['java', 'java zulu-jre-javafx-17.46.19', '17', '>=17'],
  ['java', 'java 21', '21', '>=17'],
  ['elixir', 'erlang 27.2\nelixir 1.18.3-otp-27', '1.18.3', '~> 1.15'],
  ['php', 'php 8.2.12', '8.2.12', '^8.1'],
  ['ruby', 'ruby 3.3.6', '3.3.6', '~> 3.2'],
  ['python', 'python 3.12.1 2.7.18', '3.12.1', '>=3.10'],
  ['node', 'nodejs 22.1.0', '22.1.0', '>=18'],
  ['dotnet', 'dotnet-core 8.0.100', '8.0', undefined],
  ['deno', 'deno 2.1.4', '2.1.4', undefined],
  ['rust', 'rust 1.80.0', '1.80.0', undefined],
])('the version of %s that %j pins is taken', (name, text, version, demand) => {
  const files = { ...sources[name], ...web, '.tool-versions': `# Of all\n${text}\n` };
  expect(toolOf(name, files)).toMatchObject({ version, demand });
});

test.each([
  ['go', '1.23', '1.23'],
  ['java', 'corretto-21', '21'],
  ['elixir', '1.18', '1.18'],
  ['php', '8.3', '8.3'],
  ['ruby', '3.4', '3.4'],
  ['python', '3.13', '3.13'],
  ['node', '22', '22'],
  ['dotnet', '9.0.100', '9.0'],
  ['deno', '2.1', '2.1'],
  ['rust', '1.80', '1.80'],
])('mise.toml pins %s by %j, too, in the nearest folder above that has it', (name, text, version) => {
  const files = Object.entries({ ...sources[name], ...web }).map(([path, said]) => [`apps/${path}`, said]);
  const above = { 'mise.toml': `[tools]\n"${name}" = ["${text}", "1"]\n`, '.tool-versions': `${name} 0.1\n` };
  expect(
    toolOf(name, { ...Object.fromEntries(files), 'apps/mise.toml': above['mise.toml'], ...above }, 'apps').version,
  ).toBe(version);
  expect(toolOf(name, { ...Object.fromEntries(files), 'mise.toml': above['mise.toml'] }, 'apps').version).toBe(version);
});

test.each([
  ['go', 'golang 1.20.1', '1.21'],
  ['java', 'java 11', '17'],
  ['java', 'java graalvm-ce-java17-22.3.1', '17'],
  ['php', 'php 7.4.3', ''],
  ['ruby', 'ruby 2.7.8', ''],
  ['elixir', 'elixir 1.14.5', ''],
  ['python', 'python 3.9.1', ''],
  ['python', 'python pypy3.10-7.3.12', ''],
  ['python', 'python 2.7.18', ''],
  ['node', 'nodejs system', '24'],
])('of %s the pin %j is passed over', (name, text, version) => {
  expect(toolOf(name, { ...sources[name], ...web, '.tool-versions': text }).version).toBe(version);
});

test('a project of .NET is built for what it targets, whatever is pinned', () => {
  const target = '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net8.0</TargetFramework>';
  expect(toolOf('dotnet', { 'shop.csproj': target, '.tool-versions': 'dotnet 9.0.100' }).version).toBe('8.0');
});

test('the Gemfile names the file that pins, and the front end of another language is built by the Node that is pinned', () => {
  const files = {
    Gemfile: 'ruby file: ".tool-versions"\n',
    'config.ru': '',
    '.tool-versions': 'ruby 3.3.6\nnodejs 16.20.0',
  };
  expect(toolOf('ruby', files)).toMatchObject({ version: '3.3.6', demand: '3.3.6' });
  const front = { 'package.json': json({ scripts: { build: 'webpack' }, devDependencies: { webpack: '4' } }) };
  expect(toolOf('node', { ...files, ...front }).version).toBe('16.20.0');
});
