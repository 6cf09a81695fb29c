import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { slugPattern } from '../../domain/slug.ts';
import { ok } from '../../test/api/client.ts';
import type { Answered } from '../../test/installation/running-api.ts';
import { wholeRows } from '../../test/rows/whole-rows.ts';
import { ApplyGround } from '../../test/seeds/apply-ground.ts';

const ground = new ApplyGround();
beforeAll(() => ground.open());
afterAll(() => ground.close());

/** Names as somebody types, pastes or forges them. */
const names = {
  'of 300 characters': 'n'.repeat(300),
  'of 100 characters of four bytes': '😀'.repeat(50),
  empty: '',
  'of blanks alone': '   ',
  composed: 'Caf\u00e9',
  decomposed: 'Cafe\u0301',
  'turned around': 'a\u202egpj.exe',
  'marked to be read from right to left': 'a\u200fb',
  'with a zero width space': 'ad\u200bmin',
  'with a zero width joiner': '👩\u200d💻',
  'of punctuation alone': '!?.,;:',
  'of dots': '..',
  'like a path': '../../etc/passwd',
  'like an address': 'a?b=c#d&e%2f',
  'in capitals': 'CAFE',
  'in small letters': 'cafe',
  'of another script': 'متجر',
  'with a line break': 'a\nb',
  'with NUL': 'a\u0000b',
  'with half a character': 'a\ud800b',
  'like a field of every object': '__proto__',
  'like a reference': '${{db.URL}}',
  'like markup': '<script>alert(1)</script>',
} as const;
const unseen = ['turned around', 'marked to be read from right to left', 'with a zero width space'];
const nowhere = [
  'empty',
  'of blanks alone',
  'of 300 characters',
  'with a line break',
  'with NUL',
  'with half a character',
];

interface Kind {
  prepare?(): Promise<void>;
  /** Names it, newly or anew. */
  name(name: string): Promise<Answered>;
  /** The field that a refusal names. */
  location: string;
  /** Which of the names are refused. */
  refused(label: string, name: string): boolean;
  /** The name as it is read again, and the slug, where it has one. */
  read?(answered: Answered): Promise<{ name: string; slug?: string }>;
}

const forPeople = (label: string): boolean => nowhere.includes(label) || unseen.includes(label);
const pattern =
  (of: RegExp) =>
  (_: string, name: string): boolean =>
    !of.test(name);
const id = (answered: Answered, ...path: string[]): string =>
  String((path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], answered.body) as { id: string }).id);
const as = () => ground.ours.sessions.admin;
const named = async (path: string) =>
  ok<{ name: string; slug: string }>(await ground.call('GET', path, undefined, as()));
const batch = (items: object[]) =>
  ground.call('PUT', `/environments/${ground.staging}/change-set/items:batch`, { items });

/** The keys of what is staged. */
async function stagedKey(): Promise<{ name: string }> {
  return { name: (await ground.draft(ground.staging)).items.at(-1)?.key ?? '' };
}

const kinds: Readonly<Record<string, Kind>> = {
  'a project': {
    name: (name) => ground.call('POST', '/projects', { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: (answered) => named(`/projects/${id(answered, 'project')}`),
  },
  'a project anew': {
    name: (name) => ground.call('PATCH', `/projects/${ground.projectId}`, { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: () => named(`/projects/${ground.projectId}`),
  },
  'an environment': {
    name: (name) =>
      ground.call('POST', `/projects/${ground.projectId}/environments`, { name, production: false }, as()),
    location: 'body.name',
    refused: forPeople,
    read: (answered) => named(`/environments/${id(answered)}`),
  },
  'an environment anew': {
    name: (name) => ground.call('PATCH', `/environments/${ground.staging}`, { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: () => named(`/environments/${ground.staging}`),
  },
  'a clone': {
    name: (name) => ground.call('POST', `/environments/${ground.staging}/clone`, { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: (answered) => named(`/environments/${id(answered)}`),
  },
  'a service': {
    // Some of the names are the same once they are written in one way.
    prepare: () => ground.begin(),
    name: (name) => ground.call('POST', `/projects/${ground.projectId}/services`, { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: (answered) => named(`/services/${id(answered, 'service')}`),
  },
  'a service anew': {
    name: (name) => ground.call('PATCH', `/services/${ground.service.serviceId}`, { name }, as()),
    location: 'body.name',
    refused: forPeople,
    read: () => named(`/services/${ground.service.serviceId}`),
  },
  'a process': {
    name: (name) =>
      ground.call('POST', `/services/${ground.service.serviceId}/processes`, { name, kind: 'worker', port: null }),
    location: 'body.name',
    refused: pattern(/^[a-z][a-z0-9-]{0,39}$/),
    read: async (answered) => ({ name: String(answered.body.name) }),
  },
  'a process, staged': {
    name: (name) => batch([{ kind: 'process.create', serviceId: ground.service.serviceId, name }]),
    location: 'body.items[0].name',
    refused: pattern(/^[a-z][a-z0-9-]{0,39}$/),
  },
  'a volume': {
    name: (name) =>
      ground.call('POST', `/processes/${ground.service.processId}/volumes`, { name, mountPath: '/data', sizeBytes: 1 }),
    location: 'body.name',
    refused: pattern(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/),
    read: async (answered) => ({ name: String(answered.body.name) }),
  },
  'a volume, staged': {
    name: (key) =>
      batch([
        {
          kind: 'volume.create',
          processId: ground.service.processId,
          key,
          value: { mountPath: '/data', sizeBytes: 1 },
        },
      ]),
    location: 'body.items[0].key',
    refused: pattern(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/),
    read: stagedKey,
  },
  'a variable': {
    name: (key) => batch([ground.variable(key, 'x')]),
    location: 'body.items[0].key',
    refused: pattern(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
    read: stagedKey,
  },
  'a shared variable': {
    name: (key) => batch([{ kind: 'variable.set', key, value: 'x' }]),
    location: 'body.items[0].key',
    refused: pattern(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
    read: stagedKey,
  },
  'a variable, imported': {
    name: (key) =>
      ground.call('POST', `/environments/${ground.staging}/variables/import`, {
        serviceId: ground.service.serviceId,
        text: `GOOD=1\n${key}=x`,
      }),
    location: 'body.text',
    refused: pattern(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
    read: stagedKey,
  },
  'a file': {
    name: (key) =>
      batch([
        ground.variable('TEXT', 'x'),
        { kind: 'file.set', serviceId: ground.service.serviceId, key, value: 'TEXT' },
      ]),
    location: 'body.items[1].key',
    refused: (_, path) =>
      !/^[\x21-\x7e]+$/.test(path) || path.split('/').some((part) => ['', '.', '..'].includes(part)),
    read: stagedKey,
  },
  'a service that is restored': {
    prepare: async () => {
      const { serviceId } = ground.service;
      const there = await ground.call('GET', `/services/${serviceId}`);
      if (there.status !== 200) return;
      // One that was never applied is not kept.
      await ground.applyOf(ground.staging);
      ok(await ground.call('DELETE', `/services/${serviceId}`, undefined, as()), 204);
    },
    name: (slug) => ground.call('POST', `/deleted/service/${ground.service.serviceId}/restore`, { slug }, as()),
    location: 'body.slug',
    refused: pattern(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/),
    read: (answered) => named(`/services/${answered.body.id}`).then(({ slug }) => ({ name: slug, slug })),
  },
};

describe.each(Object.keys(kinds))('%s', (label) => {
  const kind = kinds[label] as Kind;
  beforeEach(async () => {
    await ground.begin();
    await ground.stage(ground.staging, ground.create());
  });

  test('has a name that people can read, or is refused at its field with nothing written', async () => {
    for (const [what, name] of Object.entries(names)) {
      await kind.prepare?.();
      const before = await wholeRows(ground.api.database);
      const answered = await kind.name(name);
      if (kind.refused(what, name)) {
        expect(answered.status, `${what}: ${answered.text}`).toBe(422);
        const { errors } = answered.body as { errors: { location: string }[] };
        expect(
          errors.map(({ location }) => location),
          what,
        ).toContain(kind.location);
        expect(await wholeRows(ground.api.database), what).toEqual(before);
        continue;
      }
      expect([200, 201], `${what}: ${answered.text}`).toContain(answered.status);
      if (kind.read === undefined) continue;
      const read = await kind.read(answered);
      expect(read.name, what).toBe(name.normalize('NFC').trim());
      if (read.slug !== undefined) expect(read.slug, what).toMatch(slugPattern);
    }
  });
});

test('names that differ in capitals or in how a letter is written are one service, found by each of them', async () => {
  await ground.begin();
  const create = (name: string) => ground.call('POST', `/projects/${ground.projectId}/services`, { name }, as());
  const slugs: string[] = [];
  for (const name of ['Caf\u00e9', '!!!', '???', 'متجر']) {
    const { body } = await create(name);
    slugs.push((body as { service: { slug: string } }).service.slug);
  }
  expect(slugs).toEqual(['cafe', 'service', 'service-2', 'service-3']);
  for (const word of ['cafe\u0301', 'caf\u00e9', 'CAF\u00c9']) {
    expect(await create(word), word).toMatchObject({ status: 409, body: { existing: { slug: 'cafe' } } });
    const path = `/projects/${ground.projectId}/services?q=${encodeURIComponent(word)}`;
    const found = ok<{ items: { slug: string }[] }>(await ground.call('GET', path)).items;
    expect(found.map(({ slug }) => slug).toSorted(), word).toEqual(['cafe']);
  }
});
