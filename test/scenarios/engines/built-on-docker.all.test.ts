import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { importBase, withNode } from '../../builders/base-image.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../builders/buildkit-image.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';

const scripts = { build: "node -e \"fs.writeFileSync('made','built here')\"", start: 'node server.js' };
const server = `require('http').createServer((q, a) => a.end(require('fs').readFileSync('made'))).listen(process.env.PORT)`;
const app = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'server.js': server };
const Dockerfile = `FROM node:24-slim
WORKDIR /srv
COPY server.js .
RUN echo -n 'by its Dockerfile' > made
EXPOSE 8080
CMD ["node", "server.js"]
`;

describe.runIf(dockerCanRun() && buildkitCanBeMade())('on a cluster with the driver docker', () => {
  let engine: DockerEngine;
  let building: BuildingCluster;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-folder-'));

  beforeAll(async () => {
    engine = await dockerEngine();
    await loadBuildkit(engine.socket);
    await importBase(engine.socket, 'node:24-slim', withNode());
    building = await BuildingCluster.start('built-on-docker', {
      LOCAL_DRIVER: 'docker',
      LOCAL_DOCKER_SOCKET: engine.socket,
    });
  }, buildkitMillis);
  afterAll(async () => {
    await building?.close();
    await engine?.stop();
    rmSync(directory, { recursive: true });
  });

  function folder(name: string, files: Record<string, string>): string {
    mkdirSync(join(directory, name), { recursive: true });
    for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, name, path), content);
    return join(directory, name);
  }

  test.each([
    ['an application', 'app', app, 'built here'],
    ['pages', 'pages', { 'index.html': '<h1>Served</h1>' }, '<h1>Served</h1>'],
    ['a Dockerfile', 'dockerfile', { Dockerfile, 'server.js': server }, 'by its Dockerfile'],
  ])('%s is built by the engine and answers', async (_, name, files, body) => {
    const answer = await building.deploy(folder(name, files), '--project', name, '--service', 'web', '--yes');
    expect((await answer()).body).toBe(body);
  });
});
