import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { removeUnit } from './leave.ts';

const directory = temporaryFolder();
const systemd = {
  units: join(directory, 'units'),
  running: join(directory, 'running'),
  systemctl: join(directory, 'systemctl'),
};
const asked = join(directory, 'asked');

test('the unit of this home goes and no other one, and systemd is told before and after', async () => {
  const wanted = join(systemd.units, 'multi-user.target.wants');
  mkdirSync(wanted, { recursive: true });
  mkdirSync(systemd.running);
  for (const [name, home] of Object.entries({
    'ballast-agent.service': '/var/lib/ballast-agent',
    'ballast-agent-42.service': '/srv/agent',
    'ballast-agent-43.service': '/srv/agent-2',
  })) {
    writeFileSync(join(systemd.units, name), `ExecStart=/bin/sh ${home}/launcher.sh ${home} --driver auto\n`);
    writeFileSync(join(wanted, name), '');
  }
  writeFileSync(systemd.systemctl, `#!/bin/sh\necho "$*" >>${asked}\n`);
  chmodSync(systemd.systemctl, 0o755);
  await removeUnit('/srv/agent', systemd);
  expect(readFileSync(asked, 'utf8')).toBe('disable --now ballast-agent-42.service\ndaemon-reload\n');
  for (const [name, left] of [
    ['ballast-agent.service', true],
    ['ballast-agent-42.service', false],
    ['ballast-agent-43.service', true],
  ] as const) {
    expect(existsSync(join(systemd.units, name))).toBe(left);
    expect(existsSync(join(wanted, name))).toBe(left);
  }
  await removeUnit('/srv/agent', systemd);
  expect(readFileSync(asked, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  writeFileSync(systemd.systemctl, '#!/bin/sh\necho "Access denied" >&2\nexit 1\n');
  await expect(removeUnit('/srv/agent-2', systemd)).rejects.toThrow(/Access denied[\s\S]*run this as root/);
});
