import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../builders/buildkit-image.ts';
import { type DebianName, debianCanBeMade } from '../../builders/debian-base.ts';
import { debianOf, loadDebian } from '../../builders/debian-images.ts';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { type GitServer, gitServer } from '../../git/git-server.ts';
import { packageRanges } from '../../kinds/can-run.ts';
import type { Kind } from '../../kinds/kind.ts';
import { notRun } from '../../run/not-run.ts';

/** A repository, the images that its build begins with, and what its service gives to builds. */
export interface Source extends Pick<Kind, 'name' | 'files' | 'context' | 'answers'> {
  bases: readonly DebianName[];
  more?: object;
  secret?: string;
}

export function sourcesOf(kinds: readonly Kind[]): Source[] {
  return kinds.filter(hasImage).map((kind) => ({ ...kind, bases: debianOf(kind.detected.provider) }));
}

/** Images of these languages are not made of Debian here. */
function hasImage({ name, detected }: Kind): boolean {
  if (!['php', 'ruby', 'elixir'].includes(detected.provider)) return true;
  notRun(`the kind ${name} on an engine`, `the base image of ${detected.provider} has to be in the engine`);
  return false;
}

/** Each is built by an engine and answers, on one cluster with the driver `docker`. */
export function builtByDocker(sources: readonly Source[]): void {
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
        const { service } = await building.call<{ service: { id: string } }>(
          'POST',
          `/projects/${project.id}/services`,
          {
            ...{ name: 'web', source },
          },
        );
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

      test.each(sources.map((source) => [source.name, source] as const))(
        '%s is built and answers',
        async (_, source) => {
          for (const name of source.bases) await loadDebian(engine.socket, name);
          expect(await answerOf(source)).toContain(source.answers.includes);
        },
      );
    },
  );
}
