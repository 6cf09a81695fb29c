import { describe, expect, test } from 'vitest';
import { approve, Project } from '../../test/arbiter/project.ts';

describe('supersession', () => {
  test('one past its gate supersedes every unclaimed one of its place, held or queued', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'queued' });
    project.create({ id: 'held', approvalId: 'asked' });
    const { stop, closed } = project.create({ id: 'new' });
    expect(project.rows).toMatchObject({ queued: 'superseded', held: 'superseded', new: 'pending slot' });
    expect(stop).toEqual(['queued', 'held']);
    expect(closed).toEqual([{ approvalId: 'asked', decision: 'superseded' }]);
  });

  test('a newer one stands where the one stood that it supersedes: one that is always replaced has its turn, too', () => {
    const project = new Project(1);
    project.running('other');
    project.create({ id: 'first' });
    project.create({ id: 'behind', place: 'api' });
    project.create({ id: 'newer' });
    project.create({ id: 'held', approvalId: 'asked' });
    project.take(approve('asked'));
    expect(project.rows).toMatchObject({ first: 'superseded', newer: 'superseded', held: 'pending slot' });
    project.take({ event: 'finish', id: 'other', state: 'live' });
    expect(project.rows).toMatchObject({ held: 'pending', behind: 'pending slot' });
  });

  test('a held one supersedes only held ones', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'queued' });
    project.create({ id: 'held', approvalId: 'asked' });
    const { closed } = project.create({ id: 'held again', approvalId: 'asked again' });
    expect(project.rows).toMatchObject({
      queued: 'pending slot',
      held: 'superseded',
      'held again': 'pending approval',
    });
    expect(closed).toEqual([{ approvalId: 'asked', decision: 'superseded' }]);
  });

  test('members of a change set that is not applied are not superseded singly', () => {
    const project = new Project();
    const ofSet = { approvalId: 'set', changeSetId: 'set' };
    project.create({ id: 'member', ...ofSet }, { id: 'other member', place: 'api', ...ofSet });
    project.create({ id: 'held', approvalId: 'asked' });
    project.create({ id: 'direct' });
    expect(project.rows).toMatchObject({ member: 'pending approval', held: 'superseded', direct: 'pending' });
  });

  test('members of a change set that is applied are superseded like others', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'member', approvalId: 'set', changeSetId: 'set' });
    project.take(approve('set'));
    project.create({ id: 'direct' });
    expect(project.rows).toMatchObject({ member: 'superseded', direct: 'pending slot' });
  });

  test('places do not supersede each other', () => {
    const project = new Project(1);
    project.create({ id: 'web' }, { id: 'api', place: 'api' });
    expect(project.rows).toMatchObject({ web: 'pending', api: 'pending slot' });
  });

  test('a claimed one is never superseded: all else waits', () => {
    const project = new Project();
    project.running('web');
    expect(project.create({ id: 'next', place: 'web' }).stop).toEqual([]);
    expect(project.rows).toMatchObject({ web: 'preparing', next: 'pending earlier-deployment' });
    const superseded = { event: 'cancel', id: 'web', because: 'superseded' } as const;
    expect(project.decide(superseded)).toEqual({ refused: 'not-cancellable', state: 'preparing' });
  });

  test('a claimed one is asked to cancel by a rollback', () => {
    const project = new Project();
    project.running('web');
    expect(project.create({ id: 'back', place: 'web', kind: 'rollback' })).toMatchObject({
      stop: ['web'],
      update: [{ id: 'web', cancelRequested: true }],
    });
    expect(project.rows.back).toBe('pending earlier-deployment');
  });

  test('a rollback waits for one that drains: its release serves already', () => {
    const project = new Project();
    project.running('web');
    project.reaches('web', 'draining');
    expect(project.create({ id: 'back', place: 'web', kind: 'rollback' })).toMatchObject({ stop: [], update: [] });
  });

  test('a held rollback asks nobody before it is approved', () => {
    const project = new Project();
    project.running('web');
    const held = project.create({ id: 'back', place: 'web', kind: 'rollback', approvalId: 'asked' });
    expect(held).toMatchObject({ stop: [], update: [] });
    expect(project.take(approve('asked'))).toMatchObject({ stop: ['web'], decided: ['back'] });
  });
});

describe('approval', () => {
  test('approved ones are admitted together, and supersede as one past its gate does', () => {
    const project = new Project(1);
    const ofSet = { approvalId: 'set', changeSetId: 'set' };
    project.create({ id: 'member', ...ofSet }, { id: 'other member', place: 'api', ...ofSet });
    project.create({ id: 'queued' });
    expect(project.take(approve('set'))).toMatchObject({
      decided: ['member', 'other member'],
      stop: ['queued'],
      wake: [],
    });
    expect(project.rows).toMatchObject({ member: 'pending', 'other member': 'pending slot', queued: 'superseded' });
  });

  test.each(['rejected', 'expired', 'cancelled'] as const)('all that an approval holds ends %s with it', (decision) => {
    const project = new Project();
    const ofSet = { approvalId: 'set', changeSetId: 'set' };
    project.create({ id: 'member', ...ofSet }, { id: 'other member', place: 'api', ...ofSet });
    project.create({ id: 'bystander', approvalId: 'asked', place: 'db' });
    const { decided, closed } = project.take({ event: 'decide', approvalId: 'set', decision });
    expect(decided).toEqual(['member', 'other member']);
    expect(closed).toEqual([]);
    expect(project.rows).toMatchObject({
      member: decision,
      'other member': decision,
      bystander: 'pending approval',
    });
  });

  test('a decision that comes again changes nothing', () => {
    const project = new Project();
    project.create({ id: 'held', approvalId: 'asked' });
    project.take(approve('asked'));
    const again = { event: 'decide', approvalId: 'asked', decision: 'rejected' } as const;
    expect(project.take(again)).toMatchObject({ update: [], decided: [], wake: [] });
    expect(project.rows.held).toBe('pending');
  });
});
