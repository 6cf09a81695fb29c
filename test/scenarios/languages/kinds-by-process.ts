import { afterAll, beforeAll, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { type GitServer, gitServer } from '../../git/git-server.ts';
import { canRun, packageRanges } from '../../kinds/can-run.ts';
import type { Kind } from '../../kinds/kind.ts';
import { patient } from '../../run/patience.ts';

/** Each is cloned, built, started, and answers, on one cluster with the driver `process`. */
export function kindsByProcess(kinds: readonly Kind[]): void {
  let building: BuildingCluster;
  let git: GitServer;

  beforeAll(async () => {
    git = await gitServer();
    building = await BuildingCluster.start('kinds-by-process', {
      // The Git server, and registries of packages, of this machine too.
      OUTBOUND_ALLOWED_RANGES: `127.0.0.0/8,${packageRanges}`,
    });
  });
  afterAll(async () => {
    await building?.close();
    await git?.close();
  });

  test.each(kinds.filter(canRun).map((kind) => [kind.name, kind] as const))(
    '%s is cloned, built, started, and answers',
    async (name, { files, context = '', answers }) => {
      const gitUrl = await git.create(`kinds/${name}.git`);
      const commit = await git.commit(`kinds/${name}.git`, files);
      const { project } = await building.call<{ project: { id: string } }>('POST', '/projects', { name });
      const source = { kind: 'git', gitUrl, context };
      const made = { name: 'web', source };
      const { service } = await building.call<{ service: { id: string } }>(
        'POST',
        `/projects/${project.id}/services`,
        made,
      );
      const at = ['--project', name, '--environment', 'staging', '--timeout', '25m'];
      const answer = await building.deploy('--staged', ...at);
      expect(await answer(answers.path)).toMatchObject({
        status: 200,
        body: expect.stringContaining(answers.includes),
      });
      const { items } = await building.call<{ items: object[] }>('GET', `/services/${service.id}/builds`);
      expect(items).toMatchObject([{ commitSha: commit, status: 'succeeded' }]);
      // So many programs at once would take the memory of the next builds.
      expect(await building.ballast('project', 'delete', name, '--yes')).toMatchObject({ code: 0 });
    },
    patient(1_800_000),
  );
}
