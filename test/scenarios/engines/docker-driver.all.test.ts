import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dockerDriver } from '../../../agent/drivers/docker/docker-driver.ts';
import type { Ground } from '../../../agent/drivers/driver-bench.ts';
import { driverContract } from '../../../agent/drivers/driver-contract.ts';
import type { ReadyImage } from '../../../agent/drivers/image.ts';
import { readStatus } from '../../../agent/home/status.ts';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { applied, keptMachine, through, wanted } from '../../agents/kept-machine.ts';
import { fromImageToAddress } from '../../applications/from-image.ts';
import { readmeExample } from '../../applications/readme-example.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../builders/buildkit-image.ts';
import { debianCanBeMade } from '../../builders/debian-base.ts';
import { loadDebian } from '../../builders/debian-images.ts';
import { freePort } from '../../ground/free-port.ts';
import { type SampleOptions, sampleLayout } from '../../images/sample-image.ts';
import { runBallast } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';
import { patient } from '../../run/patience.ts';

const log = { info: () => {}, warn: () => {} };

describe.runIf(dockerCanRun())('on a real engine', () => {
  let engine: DockerEngine;
  beforeAll(async () => {
    engine = await dockerEngine();
  });
  afterAll(() => engine?.stop());

  const ground = async (): Promise<Ground> => {
    const home = mkdtempSync(join(tmpdir(), 'ballast-home-'));
    const images = mkdtempSync(join(tmpdir(), 'ballast-images-'));
    return {
      driver: () => dockerDriver({ home, socket: engine.socket, log }),
      image: (options = {}) => sampleImage(images, options),
      close: async () => {
        rmSync(home, { recursive: true });
        rmSync(images, { recursive: true });
      },
    };
  };
  driverContract('docker', ground);

  test(
    'an image that was built of a folder runs in containers, too',
    async () => {
      const folder = join(import.meta.dirname, '../../../examples/hello');
      const layout = mkdtempSync(join(tmpdir(), 'ballast-built-'));
      const driver = (home: string) => dockerDriver({ home, socket: engine.socket, log });
      const machine = await keptMachine({ driver, runBy: 'docker' });
      try {
        expect(await runBallast(['image', 'build', folder, '--output', layout], {})).toMatchObject({
          code: 0,
          stdout: `${layout}\n`,
        });
        const keeper = await machine.keeper();
        await keeper.desire(wanted(1, await machine.slice('hello', 1, 'r1', {}, { image: { layout } })), 0);
        await applied(keeper, 1, 90);
        expect((await through(machine.url(), 'hello.localhost')).body).toBe('Hello from Ballast\n');
      } finally {
        await machine.close();
        rmSync(layout, { recursive: true });
      }
    },
    patient(120_000),
  );

  test.runIf(debianCanBeMade() && buildkitCanBeMade())(
    'the README and an image lead to addresses, in containers of the local cluster',
    async () => {
      await loadBuildkit(engine.socket);
      await loadDebian(engine.socket, 'node');
      const ingressPort = await freePort();
      const installation = await Installation.start('docker-example', {
        LOCAL_CLUSTER: 'true',
        LOCAL_DOCKER_SOCKET: engine.socket,
        INGRESS_PORT: String(ingressPort),
      });
      try {
        const agent = join(installation.home, 'agent');
        await installation.until('its agent is in contact', async () => readStatus(agent)?.connected);
        expect(readStatus(agent)?.driver).toBe('docker');
        await readmeExample(installation, ingressPort);
        await fromImageToAddress(installation, { ingressPort, hostBound: false, patient: true, megabytes: 50 });
        const { code, stdout } = await installation.run('down');
        expect([code, stdout]).toEqual([0, expect.stringMatching(/3 instances? of the local cluster ended/)]);
      } finally {
        await installation.remove();
      }
    },
    buildkitMillis,
  );
});

async function sampleImage(directory: string, options: SampleOptions): Promise<ReadyImage> {
  const { layout, digest } = await sampleLayout(directory, { ...options, hostBound: false });
  const path = (hash: string) => join(layout, 'blobs', hash.replace(':', '/'));
  const manifest = JSON.parse(readFileSync(path(digest), 'utf8'));
  const read = JSON.parse(readFileSync(path(manifest.config.digest), 'utf8'));
  return {
    digest,
    configPath: path(manifest.config.digest),
    annotations: manifest.annotations ?? {},
    layers: manifest.layers.map((l: { digest: string; mediaType: string; size: number }) => ({
      ...{ digest: l.digest, mediaType: l.mediaType, path: path(l.digest), sizeBytes: l.size },
    })),
    config: {
      ...{ os: read.os, architecture: read.architecture, entrypoint: read.config.Entrypoint, command: read.config.Cmd },
      ...{ environment: {}, workingDirectory: read.config.WorkingDir, user: read.config.User ?? '' },
      ...{ exposedPorts: [8080], diffIds: read.rootfs.diff_ids },
    },
  };
}
