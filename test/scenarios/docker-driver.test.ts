import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { dockerDriver } from '../../agent/drivers/docker/docker-driver.ts';
import { driverContract } from '../../agent/drivers/driver-contract.ts';
import type { ReadyImage } from '../../agent/drivers/image.ts';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../agents/docker-engine.ts';
import { type SampleOptions, sampleLayout } from '../images/sample-image.ts';

const log = { info: () => {}, warn: () => {} };

describe.runIf(dockerCanRun())('on a real engine', () => {
  let engine: DockerEngine;
  beforeAll(async () => {
    engine = await dockerEngine();
  });
  afterAll(() => engine?.stop());

  driverContract('docker', async () => {
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
  });
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
