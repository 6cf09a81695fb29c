import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';

import { openReleaseSecrets } from '../../db/releases/secrets.ts';
import { type Organization, ok } from '../api/client.ts';
import { type Answered, type Credential, type RunningApi, runningApi } from '../installation/running-api.ts';

export const imageDigests = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`] as const;

export interface Applied {
  changeSet: { id: string; state: string; message: string; downtimeAccepted: boolean };
  approval?: { id: string; decision?: string };
  deployments: { id: string; releaseId: string; serviceId: string; state: string }[];
  firstDeploys: { serviceId: string; buildId?: string }[];
  builds: { id: string; serviceId: string }[];
  unreleasedServiceIds: string[];
}

/** A project with a staging and a production environment, and a service whose image is in a registry elsewhere. */
export class ApplyGround {
  /** Host and port of that registry. */
  host = '';
  /** The digest that the tag has there now. */
  tagged: string = imageDigests[0];
  projectId = '';
  staging = '';
  production = '';
  service = { serviceId: '', processId: '', slug: '' };
  #api: RunningApi | undefined;
  #ours: Organization | undefined;
  #outside: Server | undefined;

  get api(): RunningApi {
    if (this.#api === undefined) throw new Error('It is not open.');
    return this.#api;
  }

  get ours(): Organization {
    if (this.#ours === undefined) throw new Error('It is not open.');
    return this.#ours;
  }

  async open(): Promise<void> {
    this.#outside = await registryElsewhere(this);
    this.host = `127.0.0.1:${(this.#outside.address() as AddressInfo).port}`;
    this.#api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
    this.#ours = await this.#api.organization();
  }

  async close(): Promise<void> {
    await this.#api?.close();
    this.#outside?.close();
  }

  /** A project of its own for the next test. */
  async begin(): Promise<void> {
    this.tagged = imageDigests[0];
    ({ projectId: this.projectId, production: this.production, staging: this.staging } = await this.ours.project());
    this.service = await this.ours.service(this.projectId, { image: `${this.host}/app:1` });
  }

  call = (
    method: string,
    path: string,
    body?: unknown,
    as: Credential = this.ours.sessions.deployer,
  ): Promise<Answered> => this.api.as(as).call(method, path, body);

  stage = async (environmentId: string, ...items: object[]) =>
    ok<{ changeSet: { id: string; revision: number }; items: object[] }>(
      await this.call('PUT', `/environments/${environmentId}/change-set/items:batch`, { items }),
    );

  draft = async (environmentId: string) =>
    ok<{ changeSet: { id: string; revision: number }; items: { key: string; to: string }[] }>(
      await this.call('GET', `/environments/${environmentId}/change-set`),
    );

  applyOf = async (environmentId: string, body: object = {}): Promise<Answered> =>
    await this.call('POST', `/change-sets/${(await this.draft(environmentId)).changeSet.id}/apply`, body);

  apply = async (environmentId: string, body: object = {}) => ok<Applied>(await this.applyOf(environmentId, body));

  create = () => ({ kind: 'service.create', serviceId: this.service.serviceId });

  variable = (key: string, value: string, more: object = {}) => {
    const { serviceId } = this.service;
    return { kind: 'variable.set', serviceId, key, value, ...more };
  };

  replicas = (value: number) => ({
    kind: 'process.set',
    processId: this.service.processId,
    key: 'replicas',
    value,
  });

  variablesOf = async (environmentId: string) =>
    ok<{ items: { key: string; value: string; staged?: string }[] }>(
      await this.call('GET', `/environments/${environmentId}/variables`),
    ).items;

  releaseOf = async (id: string) =>
    ok<{ release: { number: number; configRevision: number; imageRef: string; variableKeys: string[] } }>(
      await this.call('GET', `/releases/${id}`),
    ).release;

  settingsOf = (environmentId: string) =>
    this.api.database.kysely
      .selectFrom('environment_service')
      .select('settings')
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', this.service.serviceId)
      .executeTakeFirstOrThrow();

  /** The values of a release's secret variables. */
  secretsOf = async (id: string) => {
    const of = this.api.database.kysely.selectFrom('release').select(['id', 'sealed']).where('id', '=', id);
    const { organizationId } = this.ours;
    return await openReleaseSecrets(this.api.keyring, { ...(await of.executeTakeFirstOrThrow()), organizationId });
  };

  claim = async (id: string): Promise<void> => {
    const project = { organizationId: this.ours.organizationId, projectId: this.projectId };
    await this.api.effect((one) => admit(one, project, { event: 'claim', id }));
  };

  /** As its actor and agent would. */
  goLive = (id: string): Promise<void> => this.finish(id, 'live');

  decide = (id = '', decision = 'approved', as: Credential = this.ours.sessions.owner) =>
    this.call('POST', `/approvals/${id}/decide`, { decision, reason: 'because' }, as);

  /** Staged, applied, approved where it has to be, and live. */
  live = async (environmentId: string, ...items: object[]): Promise<Applied> => {
    if (items.length > 0) await this.stage(environmentId, ...items);
    const applied = await this.apply(environmentId);
    if (applied.approval !== undefined) ok(await this.decide(applied.approval.id));
    for (const { id } of applied.deployments) await this.goLive(id);
    return applied;
  };

  finish = async (id: string, state: 'live' | 'failed' | 'cancelled'): Promise<void> => {
    await this.claim(id);
    const project = { organizationId: this.ours.organizationId, projectId: this.projectId };
    await this.api.effect((one) => admit(one, project, { event: 'finish', id, state }));
  };
}

/** The ground of a file of tests, with a project of its own for each. */
export function applyGround(at = new ApplyGround()): ApplyGround {
  beforeAll(() => at.open());
  beforeEach(() => at.begin());
  afterAll(() => at.close());
  return at;
}

/** Has each image except "missing"; those beneath "private/" for Ada only. */
async function registryElsewhere(at: { host: string; tagged: string }): Promise<Server> {
  const server = createServer((request, answer) => {
    if (request.url?.startsWith('/token') === true) {
      const signedIn = request.headers.authorization === `Basic ${Buffer.from('ada:swordfish').toString('base64')}`;
      answer.writeHead(signedIn ? 200 : 401).end(signedIn ? '{"token":"good"}' : '');
    } else if (request.url?.startsWith('/v2/private/') === true && request.headers.authorization !== 'Bearer good') {
      const realm = `http://${at.host}/token`;
      answer.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="test"` }).end();
    } else if (request.url?.includes('/manifests/missing') === true) answer.writeHead(404).end();
    else answer.writeHead(200, { 'docker-content-digest': at.tagged }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
