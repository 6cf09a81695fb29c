import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { foundKinds } from '../../db/search/finder.ts';
import { ok } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';
import type { Call } from '../../test/installation/running-api.ts';
import { sampleWorkload as app, madeClusters } from '../../test/seeds/made-cluster.ts';
import { seedInstance, seedReleases } from '../../test/seeds/seed-cluster.ts';

const { api, ours } = await ownApi({ env: { INGRESS_DOMAIN: 'apps.example.com' } });
const theirs = await api.organization();
const { older } = await seedReleases(api.database);

const { living } = madeClusters(() => ({ api, as: ours.tokens.admin, image: older }));
type Item = { kind: string; id: string; name: string; state?: string; asOf?: object };

async function search(q: string, as: Call['as'] = ours.tokens.admin): Promise<Item[]> {
  return ok(await api.as(as).get(`/search?q=${encodeURIComponent(q)}&limit=50`)).found as Item[];
}
const make = async (path: string, body: object) => {
  return ok(await ours.sessions.owner.post(path, body), 201);
};

test('everything registered is found by who may list it, by its name and its id, and by nobody else', async () => {
  const cluster = await living('Needle north');
  await ours.tokens.admin.put(`/clusters/${cluster}/workloads/needle`, app());
  const instance = await seedInstance(api.database, { id: cluster, organizationId: ours.organizationId }, 'needle');
  await ours.member('viewer', 'Needle Nora');
  await make('/teams', { name: 'Needle crew' });
  await make('/api-tokens', { name: 'needle token', role: 'viewer' });
  await make(`/organizations/${ours.organizationId}/invitations`, { email: 'needle@example.com', role: 'viewer' });
  await make('/trusted-issuers', {
    name: 'Needle jobs',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'us',
    claims: { repository: ['octo/needle'] },
    role: 'viewer',
  });
  const { project } = (await make('/projects', { name: 'Needle shop' })) as { project: { id: string } };
  await make(`/projects/${project.id}/environments`, { name: 'Needle stage', production: false });
  await make(`/projects/${project.id}/services`, { name: 'Needle service' });

  const all = [...(await search('needle')), ...(await search(instance))];
  expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(foundKinds));
  const place = { project: 'needle-shop', environment: 'staging', service: 'needle-service' };
  expect(all.find(({ kind }) => kind === 'service')).toMatchObject({ place });
  expect(all.find(({ kind }) => kind === 'workflow')).toMatchObject({ detail: 'Clusters' });
  // A cluster and its workflow have one id.
  for (const { id, kind } of all) {
    const found = await search(id);
    expect(found[0]).toMatchObject({ id });
    expect(found).toContainEqual(expect.objectContaining({ id, kind }));
  }

  const kindsFor = async (as: Call['as']) => [
    ...new Set((await Promise.all([search('needle', as), search(instance, as)])).flat().map(({ kind }) => kind)),
  ];
  const ofOrganization = `/organizations/${ours.organizationId}`;
  const lists: Record<(typeof foundKinds)[number], string> = {
    member: `${ofOrganization}/members`,
    team: '/teams',
    cluster: '/clusters',
    workload: `/clusters/${cluster}/workloads`,
    instance: `/clusters/${cluster}/instances`,
    token: '/api-tokens',
    invitation: `${ofOrganization}/invitations`,
    'trusted-issuer': '/trusted-issuers',
    workflow: '/workflows',
    project: `/projects/${project.id}`,
    environment: `/projects/${project.id}/environments`,
    service: `/projects/${project.id}/services`,
  };
  const mayList = async (kind: (typeof foundKinds)[number], as: Call['as']) => {
    const { status } = await api.as(as).get(`${lists[kind]}`);
    return status === 200;
  };
  const callers = [ours.sessions, ours.tokens, { limited: ours.limited }].flatMap((each) => Object.entries(each));
  for (const [who, as] of callers) {
    const listed = await Promise.all(foundKinds.map(async (kind) => ((await mayList(kind, as)) ? [kind] : [])));
    expect((await kindsFor(as)).toSorted(), who).toEqual(listed.flat().toSorted());
  }
  expect(await kindsFor(theirs.sessions.owner)).toEqual([]);
  for (const { id } of all) expect(await search(id, theirs.sessions.owner)).toEqual([]);
});

test('a token that is limited to projects finds what is in these, with the slugs of its address', async () => {
  const made: Record<string, { project: { id: string } }> = {};
  for (const name of ['Hay one', 'Hay two']) {
    made[name] = (await make('/projects', { name })) as { project: { id: string } };
    await make(`/projects/${made[name].project.id}/environments`, { name: `${name} stage`, production: false });
  }
  const as = await ours.token('viewer', [made['Hay two']?.project.id ?? '']);
  const found = await search('hay', as);
  expect(found.slice(0, 2)).toMatchObject([
    { kind: 'project', name: 'Hay two', place: { project: 'hay-two' } },
    { kind: 'environment', name: 'Hay two stage', place: { project: 'hay-two', environment: 'hay-two-stage' } },
  ]);
  // With Production and Staging, by the name of their project.
  expect([found.length, (await search('hay')).length]).toEqual([4, 8]);
});

test('workflows are found by exactly those who may list them, one that has finished by its id', async () => {
  const cluster = await living('Beagle');
  const deletion = uuid();
  const update = uuid();
  const [by, of] = [{ requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' } as const, ours];
  await api.rows.add('deletion', {
    ...{ id: deletion, organization_id: of.organizationId, kind: 'organization', name: 'Beagle', slug: 'beagle' },
    ...{ ...by, restore_until: new Date(Date.now() + 86_400_000) },
  });
  await api.rows.add('agent_update', {
    ...{ id: update, organization_id: of.organizationId, cluster_id: cluster, kind: 'update', ...by },
    ...{ from_image: 'a', to_image: 'b', state: 'failed', finished_at: new Date() },
  });
  const workflows = async (q: string, as: Call['as']) =>
    (await search(q, as)).flatMap(({ kind, id }) => (kind === 'workflow' ? [id] : []));
  const readBy: [Call['as'], string[]][] = [
    [ours.sessions.viewer, [cluster, update]],
    [ours.sessions.admin, [cluster, update, deletion]],
    [ours.limited, [cluster]],
    [theirs.sessions.owner, []],
  ];
  for (const [as, readable] of readBy) {
    const listed = await api.as(as).get('/workflows');
    const own = (listed.body.items as Item[]).filter(({ name }) => name === 'Beagle').map(({ id }) => id);
    expect(own.toSorted()).toEqual(readable.toSorted());
    expect((await workflows('beagle', as)).toSorted()).toEqual(readable.filter((id) => id !== update).toSorted());
    for (const id of [cluster, update, deletion]) {
      expect(await workflows(id.toUpperCase(), as)).toEqual(readable.includes(id) ? [id] : []);
    }
  }
});

test('a state comes with what it is as of: that of a lost cluster is the last known one', async () => {
  const cluster = await living('Atlantis');
  const instance = await seedInstance(api.database, { id: cluster, organizationId: ours.organizationId }, 'trident');
  const byKind = async (q: string) => new Map((await search(q)).map((item) => [item.kind, item]));
  expect((await byKind('Atlantis')).get('cluster')).toMatchObject({ asOf: { inContact: true } });
  await api.rows.set('cluster', { id: cluster }, { state: 'lost' });
  await api.rows.set('cluster_agent', { cluster_id: cluster }, { contact: 'lost' });
  const found = await byKind('Atlantis');
  expect(found.get('cluster')).toMatchObject({ state: 'lost', asOf: { inContact: false } });
  expect(found.get('workflow')).toMatchObject({ state: 'lost', stateTitle: 'Lost contact', tone: 'fault' });
  expect((await byKind(instance)).get('instance')).toMatchObject({ state: 'ready', asOf: { inContact: false } });
  await make('/api-tokens', { name: 'poseidon', role: 'viewer' });
  expect((await byKind('poseidon')).get('token')).not.toHaveProperty('state');
  await api.rows.set('api_token', { name: 'poseidon' }, { revoked_at: new Date() });
  expect((await byKind('poseidon')).get('token')).toMatchObject({ state: 'revoked' });
});

test('the same name comes before a beginning, a word, and a part; wildcards are letters', async () => {
  for (const name of ['a pilots', 'copilot', 'pilot', 'pilots', 'p_lot', '100%']) await make('/teams', { name });
  expect((await search('Pilot')).map(({ name }) => name)).toEqual(['pilot', 'pilots', 'a pilots', 'copilot']);
  expect((await search('p_lot')).map(({ name }) => name)).toEqual(['p_lot']);
  expect((await search('%')).map(({ name }) => name)).toEqual(['100%']);
  expect(await search(' ')).toEqual([]);
});
