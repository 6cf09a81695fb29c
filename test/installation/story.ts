import { expect } from 'vitest';
import { type ReadStream, readStream } from '../ground/read-stream.ts';
import { type Deletion, deleteOrganization, ended, purgeNow, restore, tablesWith } from '../seeds/deletion.ts';
import type { Installation } from './installation.ts';
import { type Answered, type Call, type Credential, call } from './running-api.ts';

export interface Stage {
  installation: Installation;
  /** The APIs. Requests go to one after the other, whatever went before. */
  urls: string[];
  /** Called when a purge has just been asked for. */
  midway?: () => void;
}

interface Team {
  id: string;
  name: string;
}

/**
 * An organization's life, from its first team to its purge. How many processes serve it, and whether one of them is
 * killed, must make no difference.
 */
export async function story({ installation, urls, midway = () => undefined }: Stage): Promise<void> {
  let turn = 0;
  const next = (): string => urls[turn++ % urls.length] ?? installation.url;
  const place = { call: (method: string, path: string, more?: Call) => call(`${next()}${path}`, method, more) };
  const expected = async (status: number, method: string, path: string, more?: Call): Promise<Answered> => {
    const answer = await place.call(method, path, more);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
    return answer;
  };

  const organization = await installation.organization();
  const { owner } = organization;
  const token = await newToken();
  const streams = await Promise.all(urls.map((url) => readStream({ url }, '/api/v1/events/stream', owner)));
  try {
    await teams();
    await oneOfFifty();
    await auditLog();
    const first = await deleteOrganization(place, organization);
    await gone(first);
    await restore(place, first);
    expect((await ended(installation, first)).state).toBe('restored');
    expect((await listed(token)).length).toBe(8);

    const second = await deleteOrganization(place, organization);
    await gone(second);
    await purgeNow(place, second);
    midway();
    expect((await ended(installation, second)).state).toBe('purged');
    expect(await tablesWith(await installation.database(), organization.id)).toEqual([]);
    await expected(403, 'GET', '/api/v1/teams', { as: token });
  } finally {
    for (const stream of streams) stream.stop();
  }

  async function newToken(): Promise<Credential> {
    const made = await expected(201, 'POST', '/api/v1/api-tokens', { as: owner, body: { name: 'ci', role: 'admin' } });
    const { secret, token: row } = made.body as { secret: string; token: { id: string } };
    installation.secrets.add(secret);
    return { token: secret, id: row.id };
  }

  /** Every page of three, so that the cursor of one process is read by another. */
  async function listed(as: Credential): Promise<Team[]> {
    const all: Team[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await expected(200, 'GET', `/api/v1/teams?limit=3${cursor}`, { as });
      all.push(...(body.items as Team[]));
      if (body.nextCursor === undefined) return all;
      cursor = `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    }
  }

  async function teams(): Promise<void> {
    const made: Team[] = [];
    for (let number = 1; number <= 8; number += 1) {
      const as: Credential = number % 2 === 0 ? owner : token;
      const { body } = await expected(201, 'POST', '/api/v1/teams', { as, body: { name: `Team ${number}` } });
      made.push({ id: String(body.id), name: String(body.name) });
    }
    const [renamed, removed] = made;
    await expected(200, 'PATCH', `/api/v1/teams/${renamed?.id}`, { as: token, body: { name: 'Operations' } });
    const members = await expected(200, 'PUT', `/api/v1/teams/${renamed?.id}/members`, {
      as: owner,
      body: { userIds: [owner.userId] },
    });
    expect(members.body.members).toMatchObject([{ userId: owner.userId }]);
    await expected(204, 'DELETE', `/api/v1/teams/${removed?.id}`, { as: token });
    const names = (await listed(token)).map(({ name }) => name).sort();
    expect(names).toEqual(['Operations', ...[3, 4, 5, 6, 7, 8].map((number) => `Team ${number}`)]);
    for (const stream of streams) await sawAll(stream, made);
  }

  async function sawAll(stream: ReadStream, made: Team[]): Promise<void> {
    await installation.until('each change is in the stream', async () => {
      const seen = new Set(stream.events('change').map(({ id }) => id));
      return stream.events('resync').length > 0 || made.every(({ id }) => seen.has(id));
    });
  }

  /** Fifty at once with one key: one team, and one answer to all who are answered. */
  async function oneOfFifty(): Promise<void> {
    const ask = () =>
      place.call('POST', '/api/v1/teams', {
        as: token,
        body: { name: 'Fifty' },
        headers: { 'idempotency-key': `fifty-${organization.slug}` },
      });
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    // Who asks while the first is still at work is told to ask again; then there is the same answer.
    const early = answers.filter(({ status }) => status !== 201);
    expect(early.filter(({ status, headers }) => status !== 409 || headers.get('retry-after') !== '1')).toEqual([]);
    const again = await ask();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const texts = new Set([...answers, again].filter(({ status }) => status === 201).map(({ text }) => text));
    expect([...texts]).toEqual([again.text]);
    expect((await listed(token)).filter(({ name }) => name === 'Fifty').length).toBe(1);
  }

  async function auditLog(): Promise<void> {
    const counted: Record<string, number> = {};
    for (let cursor = ''; ; ) {
      const { body } = await expected(200, 'GET', `/api/v1/audit-log?limit=5${cursor}`, { as: owner });
      for (const { action } of body.items as { action: string }[]) counted[action] = (counted[action] ?? 0) + 1;
      if (body.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    }
    expect(counted).toMatchObject({ 'organization.created': 1, 'api_token.created': 1, 'team.created': 9 });
    expect(counted).toMatchObject({ 'team.renamed': 1, 'team.deleted': 1 });
  }

  async function gone({ organizationId, owner: as }: Deletion): Promise<void> {
    for (const one of [token, as]) await expected(403, 'GET', '/api/v1/teams', { as: one });
    const { body } = await expected(200, 'GET', '/api/v1/organizations', { as, organization: '' });
    expect((body.items as { organizationId: string }[]).map((one) => one.organizationId)).not.toContain(organizationId);
    await installation.until('its streams have ended', async () => streams.every((stream) => stream.ended()));
  }
}
