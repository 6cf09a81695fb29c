import type { Database } from '../../db/postgres/database.ts';
import { type OwnTables, tenant } from '../../db/postgres/tenant.ts';
import type { Role, TokenRole } from '../../domain/roles.ts';
import { Rows } from '../rows/rows.ts';
import { seedMember } from '../seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../seeds/seed-place.ts';
import { seedService } from '../seeds/seed-service.ts';
import { type Answered, type Call, type Credential, type Seeded, seedSession, seedToken } from './seeded.ts';

type Ask = (method: string, path: string, more?: Call) => Promise<Answered>;

/** Requests of one caller; paths begin below /api/v1. */
export interface Client {
  call(method: string, path: string, body?: unknown): Promise<Answered>;
  get(path: string): Promise<Answered>;
  post(path: string, body?: unknown): Promise<Answered>;
  put(path: string, body?: unknown): Promise<Answered>;
  patch(path: string, body?: unknown): Promise<Answered>;
  delete(path: string, body?: unknown): Promise<Answered>;
}

/** An organization whose credentials make requests. */
export interface Organization extends Seeded {
  tokens: Record<TokenRole, Credential & Client>;
  limited: Credential & Client;
  sessions: { [Each in Role]: Seeded['sessions'][Each] & Client };
  rows: Rows<OwnTables>;
  /** A further token; of these projects alone, if they are said. */
  token(role: TokenRole, projectIds?: string[]): Promise<Credential & { token: string } & Client>;
  /** A further session, of a new person unless one is said. */
  session(role: Role, userId?: string): Promise<Seeded['sessions'][Role] & Client>;
  /** A new person's id. */
  member(role?: Role, name?: string): Promise<string>;
  /** A project with its two environments. */
  project(name?: string): Promise<{ organizationId: string; projectId: string; production: string; staging: string }>;
  /** A service of a project, in no environment yet. */
  service(projectId: string, more?: Parameters<typeof seedService>[2]): ReturnType<typeof seedService>;
  /** A service in an environment, on a cluster whose agent is in contact. */
  place(given?: Parameters<typeof seedPlace>[2]): Promise<SeededPlace>;
}

export function clientOf(ask: Ask, as?: Credential): Client {
  const call: Client['call'] = (method, path, body) =>
    ask(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
  return {
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path, body) => call('DELETE', path, body),
  };
}

export function organizationOf(seeded: Seeded, { database, call }: { database: Database; call: Ask }): Organization {
  const asking = <Known extends Credential>(credential: Known): Known & Client => ({
    ...credential,
    ...clientOf(call, credential),
  });
  const { tokens, sessions, limited, organizationId } = seeded;
  const admin = asking(sessions.admin);
  return {
    ...seeded,
    tokens: { viewer: asking(tokens.viewer), deployer: asking(tokens.deployer), admin: asking(tokens.admin) },
    limited: asking(limited),
    sessions: {
      viewer: asking(sessions.viewer),
      deployer: asking(sessions.deployer),
      admin,
      owner: asking(sessions.owner),
    },
    rows: new Rows<OwnTables>(tenant(database.kysely, organizationId)),
    token: async (role, projectIds) => asking(await seedToken(database, organizationId, role, projectIds)),
    session: async (role, userId) => asking(await seedSession(database, organizationId, role, userId)),
    member: (role, name) => seedMember(database, organizationId, role, name),
    async project(name = `Project ${crypto.randomUUID()}`) {
      const made = ok<{ project: { id: string }; environments: [{ id: string }, { id: string }] }>(
        await admin.post('/projects', { name }),
        201,
      );
      const [production, staging] = made.environments;
      return { organizationId, projectId: made.project.id, production: production.id, staging: staging.id };
    },
    service: (projectId, more) => seedService(database, { organizationId, projectId }, more),
    place: (given) => seedPlace(database, organizationId, given),
  };
}

/** The body of an answer that is to have this status. */
export function ok<T = Record<string, unknown>>(answered: Answered, status = 200): T {
  if (answered.status !== status) throw new Error(`Answered ${answered.status}, not ${status}: ${answered.text}`);
  return answered.body as T;
}
