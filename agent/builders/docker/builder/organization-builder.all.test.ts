import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../../../test/agents/docker-engine.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../../../test/builders/buildkit-image.ts';
import { until } from '../../../../test/ground/until.ts';
import { Engine } from '../../../drivers/docker/engine.ts';
import { builderImage } from '../../build-settings.ts';
import { endBuilders, OrganizationBuilders, secretFile } from './builders.ts';
import { seen } from './container.ts';
import type { OrganizationBuilder } from './organization-builder.ts';

const homeId = '0123456789abcdef';
const room = { memoryBytes: 2 ** 28, processes: 100 };
const { signal } = new AbortController();

describe.runIf(dockerCanRun() && buildkitCanBeMade())('the builder of an organization', () => {
  let running: DockerEngine;
  let engine: Engine;
  const home = temporaryFolder();

  beforeAll(async () => {
    running = await dockerEngine();
    engine = new Engine(running.socket);
    await loadBuildkit(running.socket);
  }, buildkitMillis);
  afterAll(() => running?.stop());

  const buildersOf = (more: object = {}) =>
    new OrganizationBuilders({
      ...{ home, homeId, engine, outbound: { allowedRanges: [] } },
      ...{ image: builderImage, cacheBytes: 2 ** 30, caFile: undefined, ...more },
    });
  const repository = 'organization/project/service';
  const containers = async () => (await engine.ask((docker) => docker.listContainers({ all: true }))).length;
  const volumes = async () => (await engine.ask((docker) => docker.listVolumes())).Volumes ?? [];
  const marked = (builder: OrganizationBuilder) =>
    builder.use(room, signal, async ({ pid }) => {
      const mark = join(seen.state(pid), 'mark');
      const was = existsSync(mark);
      writeFileSync(mark, '');
      return { was, pid };
    });

  test('stops when it is idle, and has its caches when it starts again', async () => {
    const builder = buildersOf({ idleMillis: 1 }).of({ repository });
    const first = await marked(builder);
    expect(first.was).toBe(false);
    await until('the container is gone', async () => (await containers()) === 0);
    const second = await marked(builder);
    expect(second.was).toBe(true);
    expect(second.pid).not.toBe(first.pid);
    await until('the container is gone', async () => (await containers()) === 0);
  });

  test('serves builds at the same time, with room for each', async () => {
    const builder = buildersOf().of({ repository });
    const memory = async () => {
      const [one] = await engine.ask((docker) => docker.listContainers());
      const { HostConfig } = await engine.ask((docker) => docker.getContainer(one?.Id ?? '').inspect());
      return HostConfig.Memory;
    };
    await builder.use(room, signal, async ({ pid }) => {
      expect(await memory()).toBe(2 ** 30 + 2 ** 28);
      await builder.use(room, signal, async (other) => {
        expect(other.pid).toBe(pid);
        expect(await memory()).toBe(2 ** 30 + 2 ** 29);
      });
      expect(builder.idle).toBe(false);
    });
    await builder.stop();
  });

  test('starts without caches when these are damaged', async () => {
    const builder = buildersOf().of({ repository });
    await marked(builder);
    await builder.stop();
    const [volume] = await volumes();
    const state = volume?.Mountpoint ?? '';
    const folder = readdirSync(state).find((name) => name.startsWith('runc-')) ?? '';
    rmSync(join(state, folder), { recursive: true });
    writeFileSync(join(state, folder), 'no folder');
    expect((await marked(builder)).was).toBe(false);
    await builder.stop();
  });

  test('without its image says which one, and what to do', async () => {
    const builder = buildersOf({ image: 'nowhere.invalid/buildkit:1' }).of({ repository });
    await expect(marked(builder)).rejects.toThrow(
      /^Builds need the image nowhere\.invalid\/buildkit:1, which the Docker engine does not have and cannot pull: load it there/,
    );
  });

  test('loses its caches when the organization builds no more, and when the agent leaves', async () => {
    const builders = buildersOf();
    await marked(builders.of({ repository }));
    const folders = join(home, 'docker', 'builders');
    const [key = ''] = readdirSync(folders);
    const long = new Date(Date.now() - 15 * 86_400_000);
    utimesSync(join(folders, key), long, long);
    await builders.removeUnused();
    expect([await containers(), await volumes(), readdirSync(folders)]).toEqual([0, [], []]);

    await marked(builders.of({ repository }));
    writeFileSync(secretFile(home), `${homeId} and more`);
    await endBuilders(home, running.socket, { caches: false });
    expect([await containers(), (await volumes()).length]).toEqual([0, 1]);
    await endBuilders(home, running.socket, { caches: true });
    expect([await volumes(), existsSync(folders)]).toEqual([[], false]);
  });
});
