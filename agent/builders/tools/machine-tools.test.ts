import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { checkExtensions, findTool, machineTools } from './machine-tools.ts';

/** A machine of these programs, each of which says its version. */
function machineOf(programs: Record<string, string>, isRoot = false) {
  const at = temporaryFolder();
  for (const [path, says] of Object.entries(programs)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  }
  return { at, where: { system: [join(at, 'usr/bin')], home: join(at, 'home'), isRoot } };
}

const python = (text: string) => ({ name: 'python', version: '', demand: { text, path: 'pyproject.toml' } });

test('a program of the system is taken where its version is in the range, and where nothing is demanded', async () => {
  const { where } = machineOf({ 'usr/bin/python3': 'Python 3.11.2' });
  const system = { path: '', mount: undefined };
  expect(await findTool(python('>=3.10'), where)).toEqual(system);
  expect(await findTool(python('nonsense'), where)).toEqual(system);
  expect(await findTool({ name: 'python', version: '3.12' }, where)).toEqual(system);
});

test('what is wanted and what is there are named, with the file, before anything runs', async () => {
  const { at, where } = machineOf({ 'usr/bin/python3': 'Python 3.11.2' });
  await expect(findTool(python('>=3.14,<3.15'), where)).rejects.toThrow(
    `pyproject.toml asks for Python >=3.14,<3.15, and the machine of the cluster has 3.11.2 (${at}/usr/bin/python3): install one that fits beneath /usr, widen what is asked for, or build on a cluster with the driver docker.`,
  );
  await expect(findTool({ name: 'rust', version: '' }, where)).rejects.toThrow(
    'The build needs Rust, and the machine of the cluster has no program cargo beneath /usr: install cargo.',
  );
  await expect(findTool({ name: 'dotnet', version: '8.0' }, where)).rejects.toThrow(/install dotnet-sdk-8\.0\.$/);
});

test.each([
  ['python', '.pyenv/versions/3.14.1/bin/python3', '.pyenv/versions/3.14.1'],
  ['python', '.asdf/installs/python/3.14.0/bin/python3', '.asdf/installs/python/3.14.0'],
  ['python', '.local/share/mise/installs/python/3.14.2/bin/python3', '.local/share/mise/installs/python/3.14.2'],
  ['rust', '.rustup/toolchains/1.95-x86_64/bin/cargo', '.rustup/toolchains/1.95-x86_64'],
  ['go', '.asdf/installs/golang/1.25.0/go/bin/go', '.asdf/installs/golang/1.25.0'],
  ['deno', '.deno/bin/deno', '.deno'],
])('%s in %s of the agent’s user is mounted, and never what is in root’s home', async (name, path, folder) => {
  const tool = { name, version: '', ...(name === 'python' ? { demand: python('>=3.14').demand } : {}) };
  const system = { 'usr/bin/python3': 'Python 3.11.2' };
  const { at, where } = machineOf({ ...system, [`home/${path}`]: '' });
  expect(await findTool(tool, where)).toEqual({
    path: dirname(join(at, 'home', path)),
    mount: join(at, 'home', folder),
  });
  const root = machineOf({ ...system, [`home/${path}`]: '' }, true);
  await expect(findTool(tool, root.where)).rejects.toThrow(
    ` What is in ${root.at}/home/${folder} is root's own, and builds run as another user.`,
  );
});

test('of several versions the newest that fits is taken', async () => {
  const versions = ['3.9.1', '3.13.2', '3.13.10', '3.15.0'];
  const { at, where } = machineOf(
    Object.fromEntries(versions.map((one) => [`home/.pyenv/versions/${one}/bin/python3`, ''])),
  );
  expect((await findTool(python('>=3.10,<3.14'), where)).mount).toBe(`${at}/home/.pyenv/versions/3.13.10`);
});

test('Go fetches a newer one itself, unless it is too old for that', async () => {
  const go = { name: 'go', version: '1.25.0', demand: { text: '>=1.25.0', path: 'go.mod' } };
  const newer = machineOf({ 'usr/bin/go': 'go version go1.22.1 linux/amd64' });
  expect(await findTool(go, newer.where)).toEqual({ path: '', mount: undefined });
  const older = machineOf({ 'usr/bin/go': 'go version go1.19.8 linux/amd64' });
  await expect(findTool(go, older.where)).rejects.toThrow(
    'go.mod asks for Go >=1.25.0, and the machine of the cluster has 1.19.8',
  );
});

const isRoot = process.getuid?.() === 0;
if (isRoot) notRun('a toolchain that is closed to the agent', 'run as another user than root');

test.runIf(!isRoot)('a toolchain that the agent may not read is named', async () => {
  const { at, where } = machineOf({ 'home/.deno/bin/deno': 'deno 2.5.4' });
  chmodSync(join(at, 'home/.deno'), 0o000);
  await expect(findTool({ name: 'deno', version: '' }, where)).rejects.toThrow('beneath /usr');
  chmodSync(join(at, 'home/.deno'), 0o755);
});

test('extensions that PHP lacks are named with their packages', async () => {
  const { at } = machineOf({ 'usr/bin/php': '[PHP Modules]\nCore\nmbstring\n[Zend Modules]\nZend OPcache' });
  const tool = (...demanded: string[]) => ({
    ...{ name: 'php', version: '', demand: { text: '>=8.2', path: 'composer.json' } },
    extensions: { demanded, suggested: ['pdo_mysql'] },
  });
  await checkExtensions(tool('mbstring', 'opcache'), join(at, 'usr/bin'));
  await expect(checkExtensions(tool('gd', 'mbstring', 'xsl', 'dom'), join(at, 'usr/bin'))).rejects.toThrow(
    "composer.json asks for extensions that PHP of the cluster's machine lacks: gd, xsl, dom. Install php-gd php-xml, or build on a cluster with the driver docker.",
  );
});

test('each toolchain names its program and what to install', () => {
  for (const { program, called, install } of Object.values(machineTools)) {
    expect(program).toMatch(/^[a-z0-9]+$/);
    expect(`${called}${install}`).not.toBe('');
  }
});
