import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { begunCommand } from '../../test/commands/begun-command.ts';
import { proxyTo } from '../../test/ground/proxy.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';

const joined = await joinedCluster();
const cwd = join(joined.directory, 'shop');
mkdirSync(cwd);
const proxy = await proxyTo(new URL(joined.api.url).host);
const { layout } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true });
afterAll(async () => {
  await proxy.close();
  await joined.close();
});

/** By way of the proxy. */
const begun = (...words: string[]) =>
  begunCommand(joined.spawnBallast(words, { BALLAST_URL: `http://${proxy.address}` }, cwd));

test('at the question what to create, Ctrl-C and Ctrl-D create nothing', async () => {
  for (const [typed, code, told] of [
    ['\x04', 4, 'Nothing was created or deployed.'],
    ['\x03', 130, 'ballast: Interrupted. Nothing was created or deployed.'],
  ] as const) {
    const terminal = joined.atTerminal(['deploy', layout, '--service', 'web'], cwd);
    await terminal.answer('Create it and deploy? [y/N]', typed);
    expect([await terminal.ended, terminal.shown()]).toEqual([code, expect.stringContaining(told)]);
    expect(terminal.shown()).not.toMatch(/Warning|\bat /);
  }
  expect((await joined.ballast(['project', 'list'], { cwd })).out).toContain('There is no project yet');
});

test('a control plane that goes away is waited for, until the time is up or somebody presses Ctrl-C', async () => {
  const deploy = (value: string, ...more: string[]) =>
    begun('deploy', '--staged', '--service', 'web', '--set', `A=${value}`, ...more);
  await joined.ballast(['deploy', layout, '--service', 'web', '--yes', '--no-wait'], { cwd });
  await joined.ballast(['cancel'], { cwd });
  const late = deploy('1', '--timeout', '8s', '--json');
  await late.says('"state":"pending"');
  await proxy.freeze();
  expect(await late.ended).toBe(5);
  expect(late.said.err).toContain('The time is up, and it is still under way');
  await proxy.restore();
  expect(JSON.parse(late.said.out)).toMatchObject({ environment: 'staging', deployments: [{ serviceName: 'web' }] });

  const pressed = begun('deploy', '--staged', '--json');
  await pressed.says('this is under way there');
  await pressed.says('"state":"pending"');
  await proxy.cut();
  await pressed.says('does not answer (ECONNREFUSED); it is tried again');
  pressed.child.kill('SIGINT');
  expect(await pressed.ended).toBe(130);
  expect(pressed.said.err).toContain('It continues without this command: `./ballast status --wait --project shop');
  expect(JSON.parse(pressed.said.out).deployments).toHaveLength(1);

  await proxy.restore();
  const followed = begun('status', '--wait');
  await followed.says('web pending');
  await proxy.cut();
  await followed.says('does not answer (ECONNREFUSED); it is tried again');
  await proxy.restore();
  await joined.ballast(['cancel', '--no-wait'], { cwd });
  expect(await followed.ended).toBe(4);
});
