import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { createConnection, webhookSecret } from '../../db/git-connections/connections.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import { noSource, type ServiceSource } from '../../domain/services/settings.ts';
import type { Organization } from '../api/client.ts';
import { type Answered, type RunningApi, runningApi } from '../installation/running-api.ts';
import type { SeededPlace } from '../seeds/seed-place.ts';
import { type GitServer, gitServer } from './git-server.ts';

export const token = 'not-to-be-seen-in-any-answer';
export const none = '0'.repeat(40);

export interface Connected {
  id: string;
  label: string;
  secret: string;
}

/** The repository of a test, with one commit, and a service that is built from it. */
export interface Pushed {
  repository: string;
  commit: string;
  place: SeededPlace;
}

export interface WebhookGround {
  api: RunningApi;
  ours: Organization;
  git: GitServer;
  /** Whose host is `git`. */
  connection: Connected;
  connected(provider: GitProvider, host: string): Promise<Connected>;
  /** A place whose applied source is that. */
  built(source: Partial<ServiceSource>, more?: { branch?: string; deploys?: boolean }): Promise<SeededPlace>;
  repository(): Promise<Pushed>;
  /** By default as GitHub signs it. */
  send(body: unknown, headers?: Record<string, string>, to?: Connected): Promise<Answered>;
  buildsOf(of: SeededPlace): Promise<Record<string, unknown>[]>;
  statusOf(of?: Connected): Promise<string>;
  /** All answers so far. */
  answers(): string;
  close(): Promise<void>;
}

export function sign(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** The message of a push by GitHub. */
export function pushOf({ repository, commit }: Pushed, more: object = {}): object {
  return {
    ...{ ref: 'refs/heads/main', before: none, after: commit, pusher: { name: 'ada' } },
    head_commit: { id: commit, message: 'Say hello\n\nAnd more' },
    repository: { full_name: repository, default_branch: 'main' },
    ...more,
  };
}

/** An API with a connection to a host, which tells of pushes. */
export async function webhookGround(): Promise<WebhookGround> {
  const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  const ours = await api.organization();
  const git = await gitServer({ credential: `x-access-token:${token}` });
  let answers = '';

  async function connected(provider: GitProvider, host: string): Promise<Connected> {
    const { organizationId } = ours;
    const label = `Git ${crypto.randomUUID()}`;
    const made = {
      ...({ kind: 'selfhosted-token', provider, host, label, token, accountLogin: 'ada' } as const),
      missingPermissions: [],
    };
    const { id } = await api.effect((making) => createConnection(making, api.keyring, organizationId, made));
    const secret = await webhookSecret(api.database.kysely, api.keyring, organizationId, id);
    if (secret === undefined) throw new Error('The connection is not there.');
    return { id, label, secret };
  }
  const connection = await connected('github', git.url);

  const built: WebhookGround['built'] = async (source, { branch = '', deploys = true } = {}) => {
    const made = await ours.place();
    const text = JSON.stringify({ ...noSource, kind: 'git', ...source });
    const own = tenant(api.database.kysely, ours.organizationId);
    await own
      .updateTable('environment_service')
      .set({ settings: sql`jsonb_set(settings, '{source}', ${text}::jsonb)` })
      .where('service_id', '=', made.serviceId)
      .execute();
    await own
      .updateTable('environment')
      .set({ git_branch: branch === '' ? null : branch, auto_deploy: deploys })
      .where('id', '=', made.environmentId)
      .execute();
    return made;
  };

  return {
    ...{ api, ours, git, connection, connected, built },
    async repository() {
      const repository = `team/app-${crypto.randomUUID().slice(0, 8)}`;
      const commit = await git.commit(`${repository}.git`, { 'index.html': repository }, { message: 'Say hello' });
      return { repository, commit, place: await built({ gitConnectionId: connection.id, repository }) };
    },
    async send(body, headers = {}, to = connection) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const own = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${sign(to.secret, text)}` };
      const sent = { body: text, headers: { ...own, 'content-type': 'application/json', ...headers } };
      const answered = await api.call('POST', `/webhooks/git/${to.id}`, sent);
      answers += answered.text;
      return answered;
    },
    async buildsOf({ serviceId }) {
      const listed = await ours.tokens.viewer.get(`/services/${serviceId}/builds`);
      return listed.body.items as Record<string, unknown>[];
    },
    async statusOf({ id } = connection) {
      const row = await tenant(api.database.kysely, ours.organizationId)
        .selectFrom('git_connection')
        .select('last_delivery_status as status')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.status;
    },
    answers: () => answers,
    async close() {
      await git.close();
      await api.close();
    },
  };
}
