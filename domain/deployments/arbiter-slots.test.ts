import { describe, expect, test } from 'vitest';
import { approve, claim, create, Project } from '../../test/arbiter/project.ts';

describe('slots', () => {
  test('a direct start with all slots taken is refused', () => {
    const project = new Project(1);
    project.running('api');
    const start = create({ id: 'late', place: 'web', queue: false });
    expect(project.decide(start)).toEqual({ refused: 'at-limit', concurrency: 1 });
  });

  test('a slot that somebody was given and has not claimed is taken', () => {
    const project = new Project(1);
    project.create({ id: 'first', place: 'api' });
    expect(project.decide(create({ id: 'late', queue: false }))).toMatchObject({ refused: 'at-limit' });
  });

  test('a direct start that may queue waits for a slot, and is told when it is its turn', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'late', queue: true });
    expect(project.rows.late).toBe('pending slot');
    expect(project.take({ event: 'finish', id: 'api', state: 'live' }).wake).toEqual(['late']);
    expect(project.rows.late).toBe('pending');
  });

  test('members of a change set and approved ones wait, whether they may queue or not', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'member', place: 'member', changeSetId: 'set', queue: false });
    project.create({ id: 'held', place: 'held', approvalId: 'asked', queue: false });
    project.take(approve('asked'));
    expect(project.rows).toMatchObject({ member: 'pending slot', held: 'pending slot' });
  });

  test('a direct start that takes over the turn of the one it supersedes is not at the limit', () => {
    const project = new Project(1);
    project.create({ id: 'first' });
    project.create({ id: 'second', queue: false });
    expect(project.rows).toMatchObject({ first: 'superseded', second: 'pending' });
  });

  test('held ones hold no slot', () => {
    const project = new Project(1);
    project.create({ id: 'held', place: 'api', approvalId: 'asked' });
    project.create({ id: 'direct', queue: false });
    expect(project.rows.direct).toBe('pending');
  });

  test('the first come is the first to get a slot', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'second', place: 'second' });
    project.create({ id: 'third', place: 'third' });
    expect(project.take({ event: 'finish', id: 'api', state: 'failed' }).wake).toEqual(['second']);
    expect(project.take(claim('third'))).toMatchObject({ claimed: false, update: [] });
    expect(project.take(claim('second'))).toMatchObject({ claimed: true });
  });

  test('a rollback goes first', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'waiting', place: 'waiting' });
    project.create({ id: 'back', place: 'back', kind: 'rollback' });
    expect(project.take({ event: 'finish', id: 'api', state: 'live' }).wake).toEqual(['back']);
    expect(project.rows.waiting).toBe('pending slot');
  });

  test('the rerun of a rollback waits like any other, and asks nobody to cancel', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'waiting', place: 'waiting' });
    expect(project.create({ id: 'again', place: 'api', kind: 'rerun' }).stop).toEqual([]);
    expect(project.rows).toMatchObject({ waiting: 'pending slot', again: 'pending earlier-deployment' });
    expect(project.take({ event: 'finish', id: 'api', state: 'live' }).wake).toEqual(['waiting']);
  });

  test('a rollback takes the turn of one that has not claimed yet, whose row says so', () => {
    const project = new Project(1);
    project.create({ id: 'first', place: 'first' });
    project.create({ id: 'back', place: 'back', kind: 'rollback' });
    expect(project.rows).toMatchObject({ first: 'pending slot', back: 'pending' });
    expect(project.take(claim('first'))).toMatchObject({ claimed: false });
  });

  test('a rollback that may not queue is refused with all slots taken, unless it follows the one of its own place', () => {
    const project = new Project(1);
    project.running('web');
    expect(project.decide(create({ id: 'back', place: 'api', kind: 'rollback', queue: false }))).toMatchObject({
      refused: 'at-limit',
    });
    project.create({ id: 'back', place: 'web', kind: 'rollback', queue: false });
    expect(project.rows.back).toBe('pending earlier-deployment');
  });

  test('one whose place is taken lets others pass, and stands before them when its place is free', () => {
    const project = new Project(2);
    project.running('web', 'api');
    project.create({ id: 'next', place: 'web' });
    project.create({ id: 'other', place: 'other' });
    expect(project.take({ event: 'finish', id: 'api', state: 'live' }).wake).toEqual(['other']);
    project.create({ id: 'last', place: 'last' });
    expect(project.take({ event: 'finish', id: 'web', state: 'live' }).wake).toEqual(['next']);
  });

  test('more slots wake those that waited for them, fewer take back what was not claimed', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'late' });
    project.snapshot = { ...project.snapshot, concurrency: 2 };
    expect(project.take({ event: 'review' }).wake).toEqual(['late']);
    project.snapshot = { ...project.snapshot, concurrency: 1 };
    expect(project.take({ event: 'review' }).wake).toEqual([]);
    expect(project.rows.late).toBe('pending slot');
  });
});
