import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readSettings, settingsTable } from '../../domain/settings/settings.ts';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { notRun } from '../../test/run/not-run.ts';
import { stopPlan } from './supervisor.ts';

const checkout = join(import.meta.dirname, '../..');
const examples = join(checkout, 'docs/operating');
const files = Object.fromEntries(
  readdirSync(examples).map((name) => [name, readFileSync(join(examples, name), 'utf8')]),
);
const unit = files['ballast.service'] ?? '';
const alone = files['control-plane-alone.conf'] ?? '';
const directory = temporaryFolder();

/** The last value of a unit's key. */
const lastOf = (text: string, key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].at(-1)?.[1];

/** The complaints of systemd about a unit with its drop-in, where Ballast is this checkout. */
async function verified(service: string, dropIn: string): Promise<string> {
  const at = mkdtempSync(join(directory, 'of-'));
  const here = (text: string) => text.replaceAll('/opt/ballast', checkout);
  mkdirSync(join(at, 'ballast.service.d'));
  writeFileSync(join(at, 'ballast.service'), here(service));
  writeFileSync(join(at, 'ballast.service.d/alone.conf'), here(dropIn));
  const { stdout, stderr } = await promisify(execFile)('systemd-analyze', [
    'verify',
    join(at, 'ballast.service'),
  ]).catch((error: { stdout: string; stderr: string }) => error);
  // Units of the machine may have faults of their own.
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes(at) || line.startsWith('ballast.service'))
    .join('\n');
}

const there = await promisify(execFile)('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
);
if (!there) notRun('units of systemd', 'install systemd, which has systemd-analyze', 'systemd');

test.skipIf(!there)('systemd understands all of the unit and of its drop-in', async () => {
  expect(await verified(unit, alone)).toBe('');
  expect(await verified(unit.replace('KillMode', 'KilMode'), alone)).toContain("Unknown key 'KilMode'");
  expect(await verified(unit, alone.replace('PrivateTmp=yes', 'PrivateTemp=yes'))).toContain('PrivateTemp');
  expect(await verified(unit.replace('/opt/ballast/ballast up', '/opt/nothing/ballast up'), alone)).toContain(
    'is not executable',
  );
});

test('a stop by systemd asks Ballast alone, and waits for longer than it takes', () => {
  const longest = Math.max(...stopPlan.map(({ killAt }) => killAt));
  expect(Number(lastOf(unit, 'TimeoutStopSec')) * 1_000).toBeGreaterThan(longest);
  expect(lastOf(alone, 'TimeoutStopSec')).toBeUndefined();
  // Instances and their ingress are of the same control group.
  expect([lastOf(unit, 'KillMode'), lastOf(unit, 'KillSignal'), lastOf(unit, 'OOMPolicy')]).toEqual([
    ...['process', 'SIGTERM', 'continue'],
  ]);
  expect(lastOf(alone, 'KillMode')).toBe('mixed');
});

/** Words with the form of a setting that are of systemd, of npm, or of the XDG. */
const ofOthers = /^(?:AF|CAP|XDG)_/;

test('every setting that the files name exists', () => {
  const named = Object.values(files).flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []);
  const settings = [...new Set(named)].filter((name) => !ofOthers.test(name));
  expect(settings).toContain('TRUSTED_PROXIES');
  expect(settings.filter((name) => !(name in settingsTable))).toEqual([]);
  expect(lastOf(alone, 'Environment')).toBe('LOCAL_CLUSTER=false');
});

test('the settings are accepted as they stand, and lead to what the proxies serve', () => {
  const lines = [...(files['ballast.env'] ?? '').matchAll(/^([^#\s=]+)=(.*)$/gm)];
  const given = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  expect(Object.keys(given).filter((name) => !(name in settingsTable))).toEqual([]);
  const { PUBLIC_URL, PORT, INGRESS_PORT, INGRESS_DOMAIN, TRUSTED_PROXIES, LISTEN, BALLAST_HOME } = readSettings(given);
  expect([TRUSTED_PROXIES, LISTEN]).toEqual([['127.0.0.1'], '127.0.0.1']);
  expect(BALLAST_HOME.startsWith(`/var/lib/${lastOf(unit, 'StateDirectory')}/`)).toBe(true);
  const served = (text: string, block: RegExp) =>
    [...text.matchAll(block)].map(([, name, port]) => [name, Number(port)]);
  const wanted = [
    [new URL(PUBLIC_URL).host, PORT],
    [`*.${INGRESS_DOMAIN}`, INGRESS_PORT],
  ];
  const { Caddyfile = '', 'nginx.conf': nginx = '' } = files;
  expect(served(Caddyfile, /^(\S+) \{\n\t(?:[^}]*\n)?\t?reverse_proxy 127\.0\.0\.1:(\d+)/gm)).toEqual(wanted);
  expect(served(nginx, /server_name (\S+);[^}]*proxy_pass http:\/\/127\.0\.0\.1:(\d+);/g)).toEqual(wanted);
});
