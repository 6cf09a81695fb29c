import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { takeBuildOutput } from '../../../../db/builds/output.ts';
import { effect } from '../../../../db/engine/effect.ts';
import { openKeyring } from '../../../../db/keys/keys.ts';
import { tenant } from '../../../../db/postgres/tenant.ts';
import { machine } from '../../../seeds/seed.ts';
import { seedPlace } from '../../../seeds/seed-place.ts';
import { askedBy } from '../../asked.ts';
import { heading, mark } from '../../on-page.ts';
import type { Stories, World } from '../world.ts';

/** A build that runs, whose agent is the story. */
async function runningBuild({ opened, ada }: World) {
  const { installation } = opened;
  const database = await installation.database();
  const { organizationId } = (await askedBy(opened, ada)).as;
  const place = await seedPlace(database, organizationId);
  const keyring = await openKeyring(database, installation.settings.KEYS_FILE);
  const id = uuid();
  const own = tenant(database.kysely, organizationId);
  await own
    .insertInto('build')
    .values({
      ...{ id, project_id: place.projectId, environment_id: place.environmentId, service_id: place.serviceId },
      ...{ cluster_id: place.clusterId, number: 1, trigger: 'upload', state: 'running', revision: 1 },
      ...{ requested_by_kind: 'user', requested_by_id: 'ada', requested_by_name: 'Ada', started_at: sql<Date>`now()` },
    })
    .execute();
  return {
    id,
    says: (number: number, text: string) =>
      effect(database, machine, (taking) =>
        takeBuildOutput(taking, keyring, { id, organizationId }, [{ number, at: new Date(), text }]),
      ),
    fails: (message: string) =>
      effect(database, machine, async (ending) => {
        const ended = { state: 'failed', revision: 2, message, finished_at: sql<Date>`now()` } as const;
        await tenant(ending.kysely, organizationId).updateTable('build').set(ended).where('id', '=', id).execute();
        ending.change({ organizationId, projectId: place.projectId, kind: 'build', id });
      }),
  };
}

export const buildStories: Stories = (world) => {
  test('a build is followed as it is made, a line of its log is handed on, and its failure comes without a reload', async () => {
    const { ada } = world();
    const { page } = ada;
    const build = await runningBuild(world());
    await build.says(0, '$ npm ci\n\u001b[31mnpm error\u001b[0m code E404\n');
    await ada.go(`/default/builds/${build.id}`);
    await heading(page, 'Build #1').waitFor();
    const log = page.getByRole('log', { name: /^Log of build #1 / });
    await log.getByText('npm error').waitFor();
    const sameLoad = await mark(page);
    await build.says(1, 'one more\n');
    await log.getByText('one more').waitFor();
    expect(await log.locator('[data-line]').count()).toBe(3);
    await log.getByRole('link', { name: 'Link to line 2' }).click();
    await page.waitForURL(/\/builds\/[0-9a-f-]+#L2$/);
    const { pathname, hash } = new URL(page.url());
    const tab = await ada.tab(`${pathname}${hash}`);
    await tab.locator('[data-line="log~2"][aria-current="true"]').waitFor();
    await tab.close();
    await build.fails('The step "install" failed: a package is not in the registry.');
    await page.getByRole('alert').getByText('a package is not in the registry').waitFor();
    await page.getByText('The build is over; no more lines will come.').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await sameLoad();
    // From the alarm to the failing line.
    await ada.go('/default');
    const alarm = page.getByRole('listitem').filter({ hasText: /^Build #1 of .* failed/ });
    await alarm.getByRole('link', { name: 'Open log' }).click();
    await page.waitForURL(/\/s\/[^/]+\/builds\/[0-9a-f-]+#L3$/);
    await page.locator('[data-line="log~3"][aria-current="true"]').waitFor();
  });
};
