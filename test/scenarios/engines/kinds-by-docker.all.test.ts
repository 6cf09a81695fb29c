import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../builders/buildkit-image.ts';
import { debianCanBeMade } from '../../builders/debian-base.ts';
import { debianOf, loadDebian } from '../../builders/debian-images.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { type GitServer, gitServer } from '../../git/git-server.ts';
import { packageRanges } from '../../kinds/can-run.ts';
import type { Kind } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/kinds.ts';
import { notRun } from '../../run/not-run.ts';

type Source = Pick<Kind, 'name' | 'files' | 'context' | 'answers'> & { more?: object; secret?: string };

const greets = `require('http').createServer((q, a) => a.end(require('fs').readFileSync('words'))).listen(process.env.PORT)`;

/** An argument, a secret, and a stage that is not the last one. */
const dockerfile: Source = {
  name: 'dockerfile',
  files: {
    Dockerfile: `FROM node:24-slim AS base
WORKDIR /srv
COPY server.js .
FROM base AS web
ARG GREETING=nobody
RUN --mount=type=secret,id=TOKEN test "$(cat /run/secrets/TOKEN)" = open-sesame-123 && echo "$GREETING from a stage" > words
CMD ["node", "server.js"]
FROM web AS never
RUN exit 1
`,
    'server.js': greets,
  },
  more: { target: 'web' },
  secret: 'open-sesame-123',
  answers: { path: '/', includes: 'Good day from a stage' },
};

const monorepo: Source = {
  name: 'dockerfile-monorepo',
  files: {
    'services/api/deploy/Dockerfile': `FROM golang:1 AS made
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -o /words ./cmd/words && /words > /words.txt
FROM node:24-slim
WORKDIR /srv
COPY --from=made /words.txt words
COPY server.js .
CMD ["node", "server.js"]
`,
    'services/api/go.mod': 'module example.com/words\n\ngo 1.21\n',
    'services/api/cmd/words/main.go':
      'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("Made by one stage for another") }\n',
    'services/api/server.js': greets,
    'services/other/Dockerfile': 'FROM nowhere.invalid/other\n',
  },
  context: 'services/api',
  more: { builder: 'dockerfile', dockerfile: 'deploy/Dockerfile' },
  answers: { path: '/', includes: 'Made by one stage for another' },
};

/** Images of these languages are not made of Debian here. */
function hasImage({ name, detected }: Kind): boolean {
  if (!['php', 'ruby', 'elixir'].includes(detected.provider)) return true;
  notRun(`the kind ${name} on an engine`, `the base image of ${detected.provider} has to be in the engine`);
  return false;
}

describe.runIf(dockerCanRun() && buildkitCanBeMade() && debianCanBeMade())(
  'a repository of each kind, on a cluster with the driver docker',
  () => {
    let engine: DockerEngine;
    let building: BuildingCluster;
    let git: GitServer;

    beforeAll(async () => {
      engine = await dockerEngine();
      await loadBuildkit(engine.socket);
      git = await gitServer();
      const authorities = process.env.NODE_EXTRA_CA_CERTS;
      building = await BuildingCluster.start('kinds-by-docker', {
        ...{
          LOCAL_DRIVER: 'docker',
          LOCAL_DOCKER_SOCKET: engine.socket,
          OUTBOUND_ALLOWED_RANGES: `127.0.0.0/8,${packageRanges}`,
        },
        // Of this machine: registries of packages may be behind a proxy with an authority of its own.
        ...(authorities === undefined ? {} : { OUTBOUND_CA_FILE: authorities }),
      });
    }, buildkitMillis);
    afterAll(async () => {
      await building?.close();
      await git?.close();
      await engine?.stop();
    });

    /** From an empty repository to the answer of what runs. */
    async function answerOf({ name, files, context = '', answers, more, secret }: Source): Promise<string> {
      const commit = await git.commit(`${name}.git`, files);
      const { project } = await building.call<{ project: { id: string } }>('POST', '/projects', { name });
      const source = { kind: 'git', gitUrl: `${git.url}/${name}.git`, context, ...more };
      const { service } = await building.call<{ service: { id: string } }>('POST', `/projects/${project.id}/services`, {
        ...{ name: 'web', source },
      });
      if (secret !== undefined) {
        building.installation.secrets.add(secret);
        const set = [
          'var',
          'set',
          '--build-time',
          'also',
          '--project',
          name,
          '--environment',
          'staging',
          '--service',
          'web',
        ];
        for (const words of [['GREETING=Good day'], [`TOKEN=${secret}`, '--secret']])
          expect(await building.ballast(...set, ...words)).toMatchObject({ code: 0 });
      }
      const answer = await building.deploy('--staged', '--project', name, '--environment', 'staging');
      const { items } = await building.call<{ items: object[] }>('GET', `/services/${service.id}/builds`);
      expect(items).toMatchObject([{ commitSha: commit, status: 'succeeded' }]);
      const { body } = await answer(answers.path);
      // Each environment takes one of the engine's networks, and there are fewer of them than kinds.
      expect(await building.ballast('project', 'delete', name, '--yes')).toMatchObject({ code: 0 });
      return body;
    }

    test('a Dockerfile with an argument, a secret and a stage is built and answers', async () => {
      await loadDebian(engine.socket, 'node');
      expect(await answerOf(dockerfile)).toContain(dockerfile.answers.includes);
    });

    test('a Dockerfile of several stages below a folder is built and answers', async () => {
      for (const name of ['node', 'go'] as const) await loadDebian(engine.socket, name);
      expect(await answerOf(monorepo)).toContain(monorepo.answers.includes);
    });

    test.each(kinds.filter(hasImage).map((kind) => [kind.name, kind] as const))(
      '%s is built and answers',
      async (_, kind) => {
        for (const name of debianOf(kind.detected.provider)) await loadDebian(engine.socket, name);
        expect(await answerOf(kind)).toContain(kind.answers.includes);
      },
    );
  },
);
