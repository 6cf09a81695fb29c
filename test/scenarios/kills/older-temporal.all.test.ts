import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actorKinds } from '../../../workflows/descriptors.ts';
import { agreement, endedRows, openIn } from '../../actors/agreement.ts';
import { offerRelease } from '../../agents/offer-release.ts';
import { Applications } from '../../applications/applications.ts';
import { known, watchProcesses } from '../../applications/instance-processes.ts';
import { freePort } from '../../ground/free-port.ts';
import { Installation } from '../../installation/installation.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { copyTemporal, putBackTemporal } from '../../installation/temporal-copy.ts';
import { patient } from '../../run/patience.ts';
import {
  auditedActions,
  type Deletion,
  deleteOrganization,
  ended,
  purgeNow,
  restore,
  tablesWith,
} from '../../seeds/deletion.ts';

/** So long everything may take to agree again, in seconds. */
const patience = 180;

let installation: Installation;
let applications: Applications;
let agentHome: string;
let watch: ReturnType<typeof watchProcesses>;
/** Deletions by when they began and how they stand when Temporal is put back. */
const deletions: Record<string, Deletion> = {};
const clusters: Record<string, string> = {};
/** Everything that had ended by then. */
let endedBefore: Awaited<ReturnType<typeof endedRows>>;
let instances: ReturnType<typeof known>['instances'];

beforeAll(async () => {
  const local = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  installation = await Installation.start('older-temporal', local);
  applications = await Applications.on(installation);
  agentHome = realpathSync(join(installation.home, 'agent'));
  await applications.apply({ name: 'shop', replicas: 2 });
  await applications.apply({ name: 'idle', kind: 'worker' });
  await applications.apply({ name: 'changed', kind: 'worker' });
  for (const name of ['shop', 'idle', 'changed']) await applications.applied(name, 120);
  instances = await shownInstances();
  watch = watchProcesses(
    agentHome,
    instances.map(({ id }) => id),
  );
}, patient(600_000));

afterAll(async () => {
  watch?.end();
  applications?.close();
  await installation?.remove();
});

const shownInstances = async () =>
  known(agentHome, (await Promise.all(['shop', 'idle'].map((name) => applications.instances(name)))).flat()).instances;

async function createCluster(name: string): Promise<void> {
  const as = applications.admin;
  const { status, text } = await installation.call('POST', '/api/v1/clusters', { as, body: { name } });
  expect(status, text).toBe(201);
  const { body } = await installation.call('GET', '/api/v1/clusters', { as });
  clusters[name] = (body.items as { id: string; name: string }[]).find((one) => one.name === name)?.id ?? '';
}

async function deleteCluster(name: string): Promise<void> {
  const path = `/api/v1/clusters/${clusters[name]}`;
  const { status, text } = await installation.call('DELETE', path, { as: applications.admin });
  expect(status, text).toBe(204);
}

const clusterRow = async (id = '') => {
  const { kysely } = await installation.database();
  const row = kysely.selectFrom('cluster').select(['state', 'finished_at']).where('id', '=', id);
  return await row.executeTakeFirstOrThrow();
};

async function remember(name: string): Promise<Deletion> {
  const organization = await installation.organization();
  const team = { as: organization.owner, body: { name: 'Operations' } };
  await installation.call('POST', '/api/v1/teams', team);
  const deletion = await deleteOrganization(installation, organization);
  deletions[name] = deletion;
  return deletion;
}

/** By the name of the deletion. */
function deletion(name: string): Deletion {
  const found = deletions[name];
  if (found === undefined) throw new Error(`No deletion is called "${name}".`);
  return found;
}

const agentShows = async () => {
  const { body } = await installation.call('GET', `${applications.path}/agent`, { as: applications.admin });
  return body as { currentImage: string; inProgress?: object; history: object[] };
};

const updated = (image: string) =>
  installation.until(
    `the agent runs ${image}`,
    async () => {
      const { currentImage, inProgress } = await agentShows();
      return currentImage === image && inProgress === undefined && (await applications.cluster())?.status === 'ready';
    },
    120,
  );

const agrees = () => agreement(installation, applications, patience);

describe('Temporal is put back to an older copy of its databases', () => {
  test('a copy is made, and much happens after it', async () => {
    const { kysely } = await installation.database();
    const first = await offerRelease(installation, {}, { additions: { 'ingress.mjs': '\n// First.\n' } });
    await installation.call('POST', `${applications.path}/agent/update`, { as: applications.admin });
    await updated(first.image);
    for (const name of ['Berlin', 'Paris']) await createCluster(name);
    const retained = ['kept', 'to be purged', 'to be restored', 'to be decided', 'to be claimed'];
    for (const name of retained) await remember(name);
    await ended(installation, await purged('purged before'));

    // An update of the agent stands still for the copy: the agent cannot be told of it while nobody listens.
    const second = await offerRelease(installation, {}, { additions: { 'ingress.mjs': '\n// Second.\n' } });
    await installation.call('POST', `${applications.path}/agent/update`, { as: applications.admin });
    const api = installation.parts.pid('api');
    signalProcess(api, 'SIGSTOP');
    try {
      await installation.until('the cluster is being updated', async () => {
        return (await clusterRow(applications.clusterId)).state === 'updating';
      });
      await copyTemporal(installation);
    } finally {
      signalProcess(api, 'SIGCONT');
    }
    await installation.ready();

    await updated(second.image);
    await createCluster('Rome');
    await deleteCluster('Berlin');
    await applications.apply({ name: 'changed', kind: 'worker', version: '2' });
    await applications.applied('changed', 120);
    await remember('begun since');
    await restore(installation, await remember('restored since'));
    await ended(installation, await purged('purged since'));
    await purgeNow(installation, deletion('to be purged'));
    await restore(installation, deletion('to be restored'));
    for (const name of ['to be purged', 'to be restored', 'restored since']) await ended(installation, deletion(name));
    await installation.until('Berlin is gone', async () => (await clusterRow(clusters.Berlin)).finished_at !== null);
    expect((await kysely.selectFrom('outbox').selectAll().execute()).length).toBe(0);
    endedBefore = await endedRows(installation);
    expect(endedBefore.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      'agent-update succeeded',
      'agent-update succeeded',
      'cluster deleted',
      'deletion purged',
      'deletion purged',
      'deletion purged',
      'deletion restored',
      'deletion restored',
    ]);
  });

  test('everything agrees again by itself', async () => {
    // The purge of one was claimed, and cannot end before Temporal forgets it.
    const { kysely } = await installation.database();
    const claimed = deletion('to be claimed');
    const holding = await kysely.startTransaction().execute();
    try {
      await sql`select from team where organization_id = ${claimed.organizationId} for update`.execute(holding);
      await purgeNow(installation, claimed);
      const row = kysely.selectFrom('deletion').select('state').where('id', '=', claimed.id);
      await installation.until('it is claimed', async () => (await row.executeTakeFirst())?.state === 'purging');
      await putBackTemporal(installation);
    } finally {
      await holding.rollback().execute();
    }
    await installation.ready();
    expect((await ended(installation, claimed, patience)).state).toBe('purged');
    await agrees();
    expect((await clusterRow(clusters.Rome)).state).toBe('awaiting-agent');
    expect((await openIn(installation, 'deletion')).map(({ id }) => id).sort()).toEqual(
      ['kept', 'to be decided', 'begun since'].map((name) => deletion(name).id).sort(),
    );
  });

  test('what had ended has not come to life again: no second purge, no lost restoration', async () => {
    const since = ['to be claimed'].map((name) => deletion(name).id);
    expect((await endedRows(installation)).filter(({ id }) => !since.includes(id))).toEqual(endedBefore);
    const { database } = await installation.inside();
    for (const name of ['purged before', 'purged since', 'to be purged', 'to be claimed']) {
      const { organizationId } = deletion(name);
      expect(await auditedActions(database, organizationId), name).toEqual([
        'organization.created',
        'organization.deleted',
        'organization.purge_requested',
        'organization.purged',
      ]);
      expect(await tablesWith(database, organizationId), name).toEqual([]);
    }
    for (const name of ['to be restored', 'restored since']) {
      const { organizationId, owner: as } = deletion(name);
      expect((await auditedActions(database, organizationId)).at(-1), name).toBe('organization.restored');
      expect((await installation.call('GET', '/api/v1/teams', { as })).body.items).toMatchObject([
        { name: 'Operations' },
      ]);
    }
  });

  test('nothing is stuck or blocked, and doctor finds no trouble', async () => {
    for (const kind of actorKinds)
      expect((await openIn(installation, kind)).map(({ blocker }) => blocker ?? '').join('')).toBe('');
    const stuck = await installation.call('GET', '/api/v1/workflows?stuck=true', { as: applications.admin });
    expect([stuck.status, stuck.body.items]).toEqual([200, []]);
    const doctor = await installation.run('doctor');
    expect(doctor.stdout).not.toContain('✗');
    expect(doctor.code).toBe(0);
  });

  test('every instance is the process that it was, all the time', async () => {
    expect(await shownInstances()).toEqual(instances);
    const { changes, looks } = watch.end();
    expect(changes).toEqual([]);
    expect(looks).toBeGreaterThan(100);
  });

  test('everything can be changed as before: workloads, clusters, the agent, deletions', async () => {
    await applications.apply({ name: 'shop', version: '2', replicas: 2 });
    await applications.applied('shop', 120);
    for (const name of ['Paris', 'Rome']) {
      await deleteCluster(name);
      await installation.until(`${name} is gone`, async () => (await clusterRow(clusters[name])).finished_at !== null);
    }
    const third = await offerRelease(installation, {}, { additions: { 'ingress.mjs': '\n// Third.\n' } });
    await installation.call('POST', `${applications.path}/agent/update`, { as: applications.admin });
    await updated(third.image);
    await purgeNow(installation, deletion('to be decided'));
    await restore(installation, deletion('begun since'));
    expect((await ended(installation, deletion('to be decided'))).state).toBe('purged');
    expect((await ended(installation, deletion('begun since'))).state).toBe('restored');
    await agrees();
  });
});

async function purged(name: string): Promise<Deletion> {
  const begun = await remember(name);
  await purgeNow(installation, begun);
  return begun;
}
