import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { actorKinds } from '../../../domain/actors.ts';
import { type AuditRecord, actorName, auditSentence } from './audit-words.ts';
import { deeds, subjects } from './deeds.ts';

/** What concerns the installation alone: no organization's log has it. */
const ofInstallation = ['session', 'user', 'identity', 'account', 'sign_in', 'sign_in_link'];
/** What is put together, as it stands in the sources, and what comes of it. */
const puttingTogether: Record<string, string[]> = {
  ['`trusted_issuer.$' + '{what}`']: ['created', 'changed', 'deleted'].map((what) => `trusted_issuer.${what}`),
  ['`cluster.$' + '{body.kind}`']: ['cluster.exec', 'cluster.restart'],
  ['`$' + '{kind}.failed`']: Object.keys(actorKinds).map((kind) => `${kind}.failed`),
};

/** All actions that the sources write: the literals of calls that record, and of lines that say `action`. */
function writtenActions(): Set<string> {
  const root = join(import.meta.dirname, '../../..');
  const found = new Set<string>();
  for (const room of ['api', 'db', 'identity', 'worker', 'activities', 'cli']) {
    for (const file of readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      const source = readFileSync(join(root, room, file), 'utf8');
      const before = found.size;
      for (const [, said] of source.matchAll(/\baction(?: =|:) ([^;]+?)(?:,\n|;|, \w+:)/g)) {
        for (const [template] of said?.matchAll(/`[^`]*\$\{[^`]+`/g) ?? []) {
          expect(Object.keys(puttingTogether), `${room}/${file}: say here what may come of it`).toContain(template);
          for (const action of puttingTogether[template] ?? []) found.add(action);
        }
        for (const [, action] of said?.matchAll(/'([a-z_]+\.[a-z_]+)'/g) ?? []) found.add(action ?? '');
      }
      for (const [, action] of source.matchAll(
        /\b(?:record\w*|note|said)\(\s*\w+,\s*(?:\w+,\s*)?'([a-z_]+\.[a-z_]+)'/g,
      )) {
        found.add(action ?? '');
      }
      const records = /\baudit\(\{/.test(source) && /^import .*\bEffect\b/m.test(source);
      // Where it records in words of its own, they must have been found.
      if (records && !/\baction(?:,|: string)/.test(source)) {
        expect(before === found.size && !repeats(source, found), `${room}/${file} records what was not found`).toBe(
          false,
        );
      }
    }
  }
  return found;
}

function repeats(source: string, found: Set<string>): boolean {
  return [...found].some((action) => source.includes(`'${action}'`));
}

const ada: AuditRecord['actor'] = { kind: 'user', id: '1', name: 'Ada' };
function record(given: Partial<AuditRecord> & { action: string }): AuditRecord {
  return { id: '', at: '', actor: ada, subject: { kind: 'team', id: '2', name: 'Platform' }, ...given };
}

test('every action that is written has a sentence, and there is no sentence for anything else', () => {
  const written = [...writtenActions()].filter((action) => !ofInstallation.includes(action.split('.')[0] ?? ''));
  expect(written.length).toBeGreaterThan(40);
  expect(Object.keys(deeds).toSorted()).toEqual(written.toSorted());
  const kinds = new Set(written.map((action) => action.split('.')[0]));
  expect(subjects.map(([kind]) => kind).toSorted()).toEqual([...kinds].toSorted());
});

test('a sentence stands without details too, since old records may lack them', () => {
  for (const action of Object.keys(deeds)) {
    expect(auditSentence(record({ action }))).not.toMatch(/undefined|null|NaN|\[object| {2}|[ ,:]$/);
  }
});

describe('a sentence', () => {
  test.each([
    ['team.renamed', { from: 'Core', to: 'Platform' }, 'Ada renamed the team Core to Platform'],
    [
      'team.members_set',
      { added: ['3', '4'], removed: ['5'] },
      'Ada added 2 members and removed 1 member in the team Platform',
    ],
    [
      'organization.deleted_retention_set',
      { from: 24, to: 168 },
      'Ada set the retention of deleted things from 1 day to 7 days',
    ],
    [
      'organization.updated',
      { name: { from: 'A', to: 'B' }, requireMfa: { from: false, to: true } },
      'Ada renamed the organization from A to B and required a second factor of everybody',
    ],
    ['cluster.failed', { message: 'Why' }, 'Ada gave up the cluster Platform: Why'],
    ['ship.launched', {}, 'Ada did ship.launched to Platform'],
  ])('of %s', (action, details, sentence) => {
    expect(auditSentence(record({ action, details }))).toBe(sentence);
  });

  test.each([
    [{ kind: 'user', id: '1', name: 'ci: nobody' }, 'ci: nobody'],
    [{ kind: 'token', id: '1', name: 'deploy' }, 'The token deploy'],
    [{ kind: 'machine', id: '1', name: 'ci: deploy' }, 'A CI job by the rule deploy'],
    [{ kind: 'machine', id: 'agent', name: 'agent on host' }, 'The agent on host'],
    [{ kind: 'machine', id: 'sweeper', name: 'sweeper' }, 'Ballast'],
    [{ kind: 'machine', id: 'host', name: 'root@host' }, 'root@host'],
    [{ kind: 'actor', id: 'cluster/1', name: 'cluster/1' }, 'Ballast'],
  ] as const)('by %j', (actor, name) => {
    expect(actorName(actor)).toBe(name);
  });
});
