import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { createSession } from '../../db/sign-in/sessions.ts';
import type { Role, TokenRole } from '../../domain/roles.ts';
import { machine, seedMember, seedOrganization } from '../seeds/seed.ts';

export interface Call {
  as?: Credential | undefined;
  organization?: string;
  csrf?: false;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export type Credential =
  | { token: string; id: string }
  | { session: string; id: string; userId: string; organizationId: string };

export async function call(url: string, method: string, more: Call = {}): Promise<Answered> {
  const answer = await fetch(url, {
    method,
    headers: { ...headersOf(method, more), ...more.headers },
    redirect: 'manual',
    ...(more.body === undefined ? {} : { body: typeof more.body === 'string' ? more.body : JSON.stringify(more.body) }),
  });
  const text = await answer.text();
  const json = text !== '' && /json/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : {} };
}

/** The headers that a well-behaved client sends with this credential. */
export function headersOf(method: string, { as, organization, csrf, body }: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  if (as !== undefined && 'token' in as) headers.authorization = `Bearer ${as.token}`;
  if (as !== undefined && 'session' in as) {
    headers.cookie = `svc_session=${as.session}`;
    headers['x-svc-organization'] = as.organizationId;
    if (method !== 'GET' && csrf !== false) headers['x-svc-csrf'] = '1';
  }
  if (organization !== undefined) headers['x-svc-organization'] = organization;
  if (organization === '') delete headers['x-svc-organization'];
  if (body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

/** An organization with a token and a session of each role. */
export interface Seeded {
  organizationId: string;
  slug: string;
  tokens: Record<TokenRole, Credential>;
  /** An administrator's token that is limited to chosen projects, of which there are none. */
  limited: Credential;
  sessions: Record<Role, Credential & { userId: string }>;
}

export async function seed(database: Database, slug?: string): Promise<Seeded> {
  const organizationId = await seedOrganization(database, slug);
  const row = await database.kysely
    .selectFrom('organization')
    .select('slug')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const token = (role: TokenRole, projectIds?: string[]) => seedToken(database, organizationId, role, projectIds);
  const session = (role: Role) => seedSession(database, organizationId, role);
  return {
    organizationId,
    slug: row.slug,
    tokens: { viewer: await token('viewer'), deployer: await token('deployer'), admin: await token('admin') },
    limited: await token('admin', []),
    sessions: {
      viewer: await session('viewer'),
      deployer: await session('deployer'),
      admin: await session('admin'),
      owner: await session('owner'),
    },
  };
}

export async function seedToken(
  database: Database,
  organizationId: string,
  role: TokenRole,
  projectIds?: string[],
): Promise<Credential & { token: string }> {
  const made = await effect(database, machine, (running) =>
    createToken(running, { organizationId, name: `${role} token`, role, projectIds }),
  );
  return { token: made.secret, id: made.row.id };
}

export async function seedSession(database: Database, organizationId: string, role: Role, userId?: string) {
  const user = userId ?? (await seedMember(database, organizationId, role));
  const made = await effect(database, machine, (running) =>
    createSession(running, { userId: user, lifetimeSeconds: 3600 }),
  );
  return { session: made.secret, id: made.id, userId: user, organizationId };
}
