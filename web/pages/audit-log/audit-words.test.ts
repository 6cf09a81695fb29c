import { describe, expect, test } from 'vitest';
import { subjects } from '../../../domain/subjects.ts';
import '../../subjects.ts';
import { type AuditRecord, actorName, auditSentence } from './audit-words.ts';
import { kindsOfDeeds } from './known-deeds.ts';

const ada: AuditRecord['actor'] = { kind: 'user', id: '1', name: 'Ada' };
function record(given: Partial<AuditRecord> & { action: string }): AuditRecord {
  return { id: '', at: '', actor: ada, subject: { kind: 'team', id: '2', name: 'Platform' }, ...given };
}

const actions = kindsOfDeeds().flatMap(({ deeds }) => deeds.map(([action]) => action));

test('actions of each kind of thing can be chosen', () => {
  const recorded = Object.entries(subjects).flatMap(([kind, subject]) =>
    [...('actions' in subject ? subject.actions : []), ...('retired' in subject ? subject.retired : [])].map(
      (action) => `${kind}.${action}`,
    ),
  );
  expect(actions.toSorted()).toEqual(recorded.toSorted());
});

test('a name that is no longer written is still told in words', () => {
  const old = record({ action: 'deletion.failed', details: { message: 'Why' } });
  expect(auditSentence(old)).toBe('Ada marked a deletion as failed: Why');
});

test('a sentence stands without details too, since old records may lack them', () => {
  for (const action of actions) {
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
      'Ada set the retention of deleted data from 1 day to 7 days',
    ],
    [
      'organization.updated',
      { name: { from: 'A', to: 'B' }, requireMfa: { from: false, to: true } },
      'Ada renamed the organization from A to B and required a second factor of everybody',
    ],
    ['cluster.failed', { message: 'Why' }, 'Ada marked the cluster Platform as failed: Why'],
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
