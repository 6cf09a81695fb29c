import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { type CommandResult, runBallast } from '../installation/ballast-command.ts';
import type { Installation } from '../installation/installation.ts';
import { steadyTraffic } from './steady-traffic.ts';

interface Given {
  ingressPort: number;
  /** Whether the image is for the driver process, which runs it on the host as it is. */
  hostBound: boolean;
  /** With the default time that a release must stay healthy, else with none. */
  patient: boolean;
  /** Of the image, beside the program. */
  megabytes: number;
}

interface Deployed {
  deployments: { state: string; releaseNumber: number; stages: { stage: string }[] }[];
  addresses: string[];
}

/**
 * From an image to an address by one command, another release and a rollback while people use it, and a store that it reaches in
 * its environment: as somebody does it at a shell, with a token and nothing else.
 */
export async function fromImageToAddress(
  installation: Installation,
  { ingressPort, hostBound, patient, megabytes }: Given,
): Promise<void> {
  const { token } = await installation.token('admin');
  const project = `${patient ? 'patient' : 'quick'}-${megabytes}`;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-from-image-'));
  const settings = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  const place = ['--project', project, '--environment', 'staging'];
  const ballast = async (...words: string[]): Promise<CommandResult> => {
    const ended = await runBallast(words, settings, undefined, directory);
    expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
    return ended;
  };
  const image = (version: string) =>
    sampleLayout(join(directory, version), {
      ...{ version, hostBound, extraBytes: megabytes * 1_000_000 },
      command: ['-delay', '1000'],
    });
  const deploy = async (layout: string, service: string): Promise<Deployed> => {
    const { stdout } = await ballast('deploy', layout, ...place, '--service', service, '--yes', '--json');
    return JSON.parse(stdout);
  };
  const url = `http://127.0.0.1:${ingressPort}`;
  try {
    const [first, second] = [await image('1'), await image('2')];
    if (!patient) {
      await ballast('project', 'create', project);
      for (const service of ['web', 'redis']) {
        await ballast('service', 'create', service, ...place);
        await ballast('service', 'set', 'stabilizationSeconds=0', ...place, '--service', service);
      }
    }
    const made = await deploy(first.layout, 'web');
    expect(made.deployments).toMatchObject([{ state: 'live', releaseNumber: 1 }]);
    const stages = made.deployments[0]?.stages.map(({ stage }) => stage);
    expect(stages).toEqual(['queue', 'prepare', 'start', 'check', 'switch', 'drain']);
    const { host, port } = new URL(made.addresses[0] ?? '');
    expect(port).toBe(String(ingressPort));
    const version = async () => JSON.parse((await through(url, host)).body).version;
    expect(await version()).toBe('1');

    const traffic = await steadyTraffic({ url, host, path: '/', perSecond: 20 });
    const next = await deploy(second.layout, 'web').catch(async (error: unknown) => {
      await traffic.end();
      throw error;
    });
    expect(next.deployments).toMatchObject([{ state: 'live', releaseNumber: 2 }]);
    expect(await version()).toBe('2');
    const back = await ballast('rollback', ...place, '--service', 'web').finally(() => traffic.end());
    expect(back.stdout).toMatch(/^Release \d+ of web is live in staging\.$/m);
    expect(await version()).toBe('1');
    expect((await traffic.end()).failures).toEqual([]);

    if (patient) await ballast('service', 'create', 'redis', ...place);
    const store = ['kind=tcp', 'port=6379', 'args=["-store"]'];
    await ballast('service', 'set', ...store, ...place, '--service', 'redis');
    expect((await deploy(first.layout, 'redis')).deployments).toMatchObject([{ state: 'live' }]);
    const status = JSON.parse((await ballast('status', ...place, '--json')).stdout);
    const redis = status.services.find(({ serviceSlug }: { serviceSlug: string }) => serviceSlug === 'redis');
    const address = redis.addresses[0].internal;
    expect(address).toMatch(hostBound ? /^127\.0\.0\.1:\d+$/ : /^redis:6379$/);
    const said = async (line: string) =>
      (await through(url, host, `/ask?${new URLSearchParams({ address, line })}`)).body;
    expect(await said('set a 1')).toContain('"ok 1"');
    expect(await said('get a')).toContain('"1 1"');
  } finally {
    rmSync(directory, { recursive: true });
  }
}
