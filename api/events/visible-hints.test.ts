import { expect, test } from 'vitest';
import { hints } from '../../domain/hints.ts';
import { seesHint } from './visible-hints.ts';

const reader = (role: 'viewer' | 'owner', projects?: string[]) => ({
  role,
  isLimitedToProjects: projects !== undefined,
  seesProject: (id: string) => projects === undefined || projects.includes(id),
});
const seen = (caller: ReturnType<typeof reader>) => Object.keys(hints).filter((kind) => seesHint(caller, { kind }));

test('a kind that is not listed is told nobody, whether it belongs to a project or not', () => {
  for (const kind of ['something new', 'credential.revoked', 'agent.work', 'toString', '']) {
    expect(seesHint(reader('owner'), { kind })).toBe(false);
    expect(seesHint(reader('owner', ['p']), { kind, projectId: 'p' })).toBe(false);
  }
});

test('an owner hears of everything, a viewer of what it may read, a limited token of the least', () => {
  expect(seen(reader('owner'))).toEqual([...Object.keys(hints)]);
  const kept = ['invitation', 'api_token', 'trusted_issuer', 'cluster_command', 'registry_credential'];
  expect(seen(reader('viewer'))).toEqual(Object.keys(hints).filter((kind) => !kept.includes(kind)));
  expect(seen(reader('viewer', ['p']))).toEqual(['organization', 'team', 'cluster']);
  expect(seesHint(reader('viewer', ['p']), { kind: 'workload', projectId: 'p' })).toBe(true);
  expect(seesHint(reader('viewer', ['p']), { kind: 'workload', projectId: 'q' })).toBe(false);
});

test('a hint of a project is told to those who see the project, and by its kind alone to no limited token', () => {
  for (const kind of ['project', 'environment', 'service', 'change_set', 'approval', 'deployment']) {
    expect(seesHint(reader('viewer', ['p']), { kind, projectId: 'p' })).toBe(true);
    expect(seesHint(reader('viewer', ['q']), { kind, projectId: 'p' })).toBe(false);
    expect(seesHint(reader('viewer', ['p']), { kind })).toBe(false);
    expect(seesHint(reader('viewer'), { kind, projectId: 'p' })).toBe(true);
  }
  expect(seesHint(reader('viewer', ['p']), { kind: 'cluster_command', projectId: 'p' })).toBe(false);
});
