import { expect, test } from 'vitest';
import { hints } from '../../domain/hints.ts';
import { type Role, roles } from '../../domain/roles.ts';
import { everyAdmin } from '../../domain/subjects.ts';
import { seesHint, toldHint } from './operations.ts';

const reader = (role: Role, projects?: string[]) => ({
  role,
  userId: projects === undefined ? 'ada' : undefined,
  isLimitedToProjects: projects !== undefined,
  seesProject: (id: string) => projects === undefined || projects.includes(id),
});
const sees = (caller: ReturnType<typeof reader>, hint: { kind: string; id?: string; projectId?: string }) =>
  seesHint(caller, { id: 'one', ...hint });
const seen = (caller: ReturnType<typeof reader>) =>
  Object.keys(hints).filter((kind) => sees(caller, { kind, id: 'ada' }));

test('a kind that is not listed is told nobody, whether it belongs to a project or not', () => {
  for (const kind of ['something new', 'credential.revoked', 'agent.work', 'toString', '']) {
    expect(sees(reader('owner'), { kind })).toBe(false);
    expect(sees(reader('owner', ['p']), { kind, projectId: 'p' })).toBe(false);
  }
});

test('an owner hears of everything, a viewer of what it may read, a limited token of the least', () => {
  expect(seen(reader('owner'))).toEqual([...Object.keys(hints)]);
  const kept = [
    'invitation',
    'api_token',
    'trusted_issuer',
    'cluster_command',
    'registry_credential',
    'guard',
    'object_store',
  ];
  expect(seen(reader('viewer'))).toEqual(Object.keys(hints).filter((kind) => !kept.includes(kind)));
  expect(seen(reader('viewer', ['p']))).toEqual(['organization', 'team', 'cluster']);
  expect(sees(reader('viewer', ['p']), { kind: 'workload', projectId: 'p' })).toBe(true);
  expect(sees(reader('viewer', ['p']), { kind: 'workload', projectId: 'q' })).toBe(false);
});

test('a hint of a project is told to those who see the project, and by its kind alone to no limited token', () => {
  for (const kind of ['project', 'environment', 'service', 'change_set', 'approval', 'deployment']) {
    expect(sees(reader('viewer', ['p']), { kind, projectId: 'p' })).toBe(true);
    expect(sees(reader('viewer', ['q']), { kind, projectId: 'p' })).toBe(false);
    expect(sees(reader('viewer', ['p']), { kind })).toBe(false);
    expect(sees(reader('viewer'), { kind, projectId: 'p' })).toBe(true);
  }
  expect(sees(reader('viewer', ['p']), { kind: 'cluster_command', projectId: 'p' })).toBe(false);
});

test('a hint of an inbox is told to the person whose it is, and to no token', () => {
  expect(sees(reader('viewer'), { kind: 'notification', id: 'ada' })).toBe(true);
  expect(sees(reader('owner'), { kind: 'notification', id: 'ben' })).toBe(false);
  expect(sees({ ...reader('owner'), userId: undefined }, { kind: 'notification', id: 'ada' })).toBe(false);
});

test('a hint of the inboxes of all admins is told to each of them by their own id, and to nobody else', () => {
  const hint = { kind: 'notification', id: everyAdmin };
  expect(roles.filter((role) => sees(reader(role), hint))).toEqual(['admin', 'owner']);
  expect(sees({ ...reader('owner'), userId: undefined }, hint)).toBe(false);
  expect(toldHint({ userId: 'ada' }, hint)).toEqual({ kind: 'notification', id: 'ada' });
  expect(toldHint({ userId: 'ada' }, { kind: 'team', id: 'admins' })).toEqual({ kind: 'team', id: 'admins' });
});
