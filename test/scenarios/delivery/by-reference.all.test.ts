import { describe, expect, test } from 'vitest';
import { readStatus } from '../../../agent/home/status.ts';
import { dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { byReference } from '../../applications/by-reference.ts';
import { SecretSearch } from '../../applications/secret-search.ts';
import { freePort } from '../../ground/free-port.ts';
import { Installation } from '../../installation/installation.ts';

async function inOne(
  name: string,
  local: Record<string, string>,
  story: (installation: Installation, ingressPort: number) => Promise<void>,
): Promise<void> {
  const ingressPort = await freePort();
  const env = { LOCAL_CLUSTER: 'true', INGRESS_PORT: String(ingressPort), ...local };
  const installation = await Installation.start(name, env);
  try {
    await installation.until(
      'its agent is in contact',
      async () => readStatus(`${installation.home}/agent`)?.connected,
    );
    await story(installation, ingressPort);
  } finally {
    await installation.remove();
  }
}

/** Pages on which something of a service stands that has secrets. */
async function inAnswers(installation: Installation, search: SecretSearch, project: string): Promise<void> {
  const { kysely } = await installation.database();
  const found = await kysely.selectFrom('project').selectAll().where('name', '=', project).executeTakeFirstOrThrow();
  const { id, organization_id: organizationId } = found;
  const as = await installation.session(organizationId, 'owner');
  const get = async (path: string) => {
    const { status, text, body } = await installation.call('GET', `/api/v1${path}`, { as });
    expect([path, status]).toEqual([path, 200]);
    search.in('answer', path, text);
    return body as { items?: { id: string }[] };
  };
  const environments = (await get(`/projects/${id}/environments`)).items ?? [];
  const deployments = (await get(`/deployments?projectId=${id}`)).items ?? [];
  for (const { id: one } of environments) {
    for (const page of [
      'overview',
      'variables',
      'change-set',
      'change-sets',
      'why',
      `compare?with=${environments[0]?.id}`,
    ])
      await get(`/environments/${one}/${page}`);
    const services = (await get(`/projects/${id}/services?environmentId=${one}`)).items ?? [];
    for (const { id: serviceId } of services) {
      const at = `environmentId=${one}`;
      for (const page of ['', '/drift', '/why', '/releases']) await get(`/services/${serviceId}${page}?${at}`);
      for (const key of ['PASSWORD', 'DSN'])
        await get(`/environments/${one}/variables/history?serviceId=${serviceId}&key=${key}`);
    }
  }
  for (const { id: one } of deployments)
    for (const page of ['', '/events', '/why']) await get(`/deployments/${one}${page}`);
  for (const page of ['/audit-log?limit=200', '/notifications', '/workflows', '/clusters']) await get(page);
}

describe('processes', () => {
  test('a service reaches another one by reference over releases of both; what is secret of it is nowhere but in its program', () =>
    inOne('by-reference', { LOCAL_DRIVER: 'process' }, async (installation, ingressPort) => {
      const { project, secrets, printed } = await byReference(installation, { ingressPort, hostBound: true });
      const search = new SecretSearch(secrets);
      for (const [at, line] of printed.split('\n').entries()) search.in('printed', `line ${at}`, line);
      await inAnswers(installation, search, project);
      search.inLogs(installation);
      await search.inTables(installation);
      await search.inHistories(installation);
      expect(search.found).toEqual([]);
      for (const kind of ['printed', 'answer', 'log', 'row', 'raw history', 'payload'])
        expect([kind, search.looked[kind] ?? 0]).toEqual([kind, expect.toSatisfy((count: number) => count > 5)]);
    }));
});

describe.runIf(dockerCanRun())('containers', () => {
  test('a service reaches another one by reference over releases of both', async () => {
    const engine = await dockerEngine();
    try {
      await inOne('by-reference-docker', { LOCAL_DOCKER_SOCKET: engine.socket }, async (installation, ingressPort) => {
        expect(readStatus(`${installation.home}/agent`)?.driver).toBe('docker');
        await byReference(installation, { ingressPort, hostBound: false });
      });
    } finally {
      await engine.stop();
    }
  });
});
