import { expect, test } from 'vitest';
import { adviceOn } from './advice.ts';
import type { SandboxEnd } from './sandbox/sandbox.ts';

const exited: SandboxEnd = { ended: 'exited', code: 1 };
const on = (line: string, end: SandboxEnd = exited) => adviceOn({ command: 'npm ci', end, lines: ['before', line] });

test.each([
  ['npm error Missing script: "build"', /no script build: add it/],
  ['npm ERR! Missing script: "start"', /no script start/],
  ['error Command "build" not found.', /no script build/],
  [
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    /npm install, commit/,
  ],
  [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', /pnpm-lock\.yaml does not fit/],
  ['error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', /The lockfile does not fit/],
  ['npm error ERESOLVE unable to resolve dependency tree', /legacy-peer-deps/],
  ["Error: Cannot find module 'express'", /^express is not there/],
  ["Module not found: Error: Can't resolve './Button' in '/build/src'", /^\.\/Button is not there/],
  ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', /max-old-space-size/],
  ['npm error code ENOSPC', /disk of the cluster is full/],
  [
    'error app@1.0.0: The engine "node" is incompatible with this module. Expected version ">=99".',
    /builds with Node \d/,
  ],
  ['  Your requirements could not be resolved to an installable set of packages.', /composer\.lock does not fit/],
  [
    'Your lock file does not contain a compatible set of packages. Please run composer update.',
    /composer\.lock does not/,
  ],
  ["Could not find gem 'rails (~> 8.0)' in locally installed gems.", /Gemfile\.lock does not fit/],
  [
    'An error occurred while installing pg (1.6.2), and Bundler cannot continue.',
    /^pg is compiled from C: .*libpq-dev/,
  ],
  ["** (Mix) Can't continue due to errors on dependencies", /mix\.lock does not fit/],
  [
    'error NETSDK1045: The current .NET SDK does not support targeting .NET 10.0.',
    /older than what the project targets/,
  ],
  ['Modules/common.h:15:10: fatal error: lber.h: No such file or directory', /has no lber\.h: install the package/],
  ['npm error code E401', /wants a credential/],
  ['npm error 403 Forbidden - GET https://npm.example.com/x', /wants a credential/],
  ['npm error code E404', /not in the registry/],
  ['npm error code EINTEGRITY', /not what the lockfile says/],
  [
    'network: m.internal is a private address; the owner of the cluster can allow it by --build-allowed-ranges of its agent.',
    /refused an address: m\.internal .* --build-allowed-ranges/,
  ],
  ['Error: connect ECONNREFUSED 127.0.0.1:5432', /no database/],
  ['npm error code SELF_SIGNED_CERT_IN_CHAIN', /--build-ca-file/],
  ["src/index.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.", /tsc --noEmit/],
  ['Tests: 2 failed, 10 passed', /Tests that the build runs failed/],
  ['Error: listen EADDRINUSE: address already in use :::3000', /must not start the application/],
  ['npm error gyp ERR! find Python', /python3, make and g\+\+/],
  ['sh: 1: ./build.sh: Permission denied', /chmod=\+x/],
  ['sh: 1: vite: not found', /The program vite is not there/],
  ["ModuleNotFoundError: No module named 'flask'", /no module flask/],
  ['fatal: not a git repository (or any of the parent directories): .git', /no history/],
])('%s', (line, advice) => {
  expect(on(line)).toMatch(advice);
});

test('ends that limits bring have their own', () => {
  const message = 'too much';
  for (const ended of ['memory', 'disk', 'processes', 'seconds'] as const)
    expect(on('anything', { ended, message })).toMatch(/\.$/);
  expect(on('anything', { ended: 'killed', by: 'SIGKILL' })).toMatch(/ran out of memory/);
  expect(on('anything', { ended: 'exited', code: 127 })).toMatch(/A program is not there/);
});

test('a failure that nobody knows gets no advice', () => {
  expect(on('The frobnicator has jammed')).toBeUndefined();
});

test('a host that was not reached is named, unless another line says why', () => {
  const unreachable = 'unreachable: The host repo.packagist.org has no address; check its name.';
  const adviceWith = (line: string) =>
    adviceOn({ command: 'composer install', end: exited, lines: [line, unreachable] });
  for (const line of [
    'curl error 56 while downloading packages.json',
    'npm error code ENOTFOUND',
    'dial tcp: lookup x.org: no',
  ])
    expect(adviceWith(line)).toMatch(/^The host repo\.packagist\.org has no address; check its name\. Builds reach/);
  expect(adviceWith('error TS2304: Cannot find name')).toMatch(/^TypeScript/);
  expect(adviceOn({ command: 'npm ci', end: exited, lines: ['npm error code ENOTFOUND'] })).toMatch(
    /^An address could/,
  );
});
