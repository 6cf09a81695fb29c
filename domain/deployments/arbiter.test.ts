import { describe, expect, test } from 'vitest';
import { approve, cancel, claim, create, Project } from '../../test/arbiter/project.ts';

describe('create', () => {
  test('all deployments of a request are admitted, or none', () => {
    const project = new Project(10, ['api']);
    expect(project.decide(create({ id: 'one' }, { id: 'other', place: 'api' }))).not.toHaveProperty('insert');
  });

  test('a request that comes again changes nothing', () => {
    const project = new Project();
    project.create({ id: 'one' });
    expect(project.create({ id: 'one' })).toMatchObject({ insert: [], update: [], stop: [] });
  });

  test('two deployments of a request cannot have one place', () => {
    expect(() => new Project().create({ id: 'one' }, { id: 'other' })).toThrow('one place');
  });
});
describe('claim', () => {
  test('the claim is pending to preparing', () => {
    const project = new Project();
    project.create({ id: 'only' });
    expect(project.take(claim('only'))).toMatchObject({ claimed: true, update: [{ id: 'only', state: 'preparing' }] });
  });

  test('one at a time rolls at a place', () => {
    const project = new Project();
    project.running('web');
    project.create({ id: 'next', place: 'web' });
    expect(project.take(claim('next'))).toMatchObject({ claimed: false });
    expect(project.rows.next).toBe('pending earlier-deployment');
  });

  test('a held one cannot be claimed', () => {
    const project = new Project();
    project.create({ id: 'held', approvalId: 'asked' });
    expect(project.take(claim('held'))).toMatchObject({ claimed: false });
    expect(project.rows.held).toBe('pending approval');
  });

  test('a claim that comes again after a crash is granted again, and changes nothing', () => {
    const project = new Project();
    project.running('web');
    project.reaches('web', 'checking');
    expect(project.take(claim('web'))).toMatchObject({ claimed: true, update: [], wake: [] });
    expect(project.rows.web).toBe('checking');
  });

  test('one that is final cannot be claimed', () => {
    expect(new Project().take(claim('ended'))).toMatchObject({ claimed: false, update: [] });
  });
});

describe('cancel', () => {
  test('one that waits ends at once, and its actor is told', () => {
    const project = new Project(1);
    project.running('api');
    project.create({ id: 'queued' });
    expect(project.take(cancel('queued')).stop).toEqual(['queued']);
    expect(project.rows.queued).toBe('cancelled');
  });

  test('a cancelled one that was given a slot leaves it to the next', () => {
    const project = new Project(1);
    project.create({ id: 'first' });
    project.create({ id: 'second', place: 'api' });
    expect(project.take(cancel('first')).wake).toEqual(['second']);
  });

  test('a held one closes its approval if no other is held by it', () => {
    const project = new Project();
    const ofSet = { approvalId: 'set', changeSetId: 'set' };
    project.create({ id: 'member', ...ofSet }, { id: 'other member', place: 'api', ...ofSet });
    expect(project.take(cancel('member')).closed).toEqual([]);
    expect(project.take(cancel('other member')).closed).toEqual([{ approvalId: 'set', decision: 'cancelled' }]);
  });

  test('an approved one that waits for a slot leaves its approval as it was decided', () => {
    const project = new Project();
    project.create({ id: 'held', approvalId: 'asked' });
    project.take(approve('asked'));
    expect(project.take(cancel('held')).closed).toEqual([]);
  });

  test.each(['preparing', 'releasing', 'starting', 'checking', 'switching'] as const)(
    'one that is %s is asked',
    (state) => {
      const project = new Project();
      project.running('web');
      project.reaches('web', state);
      expect(project.take(cancel('web'))).toMatchObject({
        stop: ['web'],
        update: [{ id: 'web', cancelRequested: true }],
      });
      expect(project.rows.web).toBe(state);
      // Its actor may have missed the message.
      expect(project.take(cancel('web'))).toMatchObject({ stop: ['web'], update: [] });
    },
  );

  test('after the switch it goes on: one that drains cannot be cancelled', () => {
    const project = new Project();
    project.running('web');
    project.take(cancel('web'));
    project.reaches('web', 'draining');
    expect(project.decide(cancel('web'))).toEqual({ refused: 'not-cancellable', state: 'draining' });
    expect(project.take({ event: 'finish', id: 'web', state: 'live' }).live).toMatchObject({ deploymentId: 'web' });
  });

  test('a final one cannot be cancelled', () => {
    expect(new Project().decide(cancel('ended'))).toEqual({ refused: 'already-final' });
  });

  test('one that waits and is ended by others counts as superseded', () => {
    const project = new Project();
    project.create({ id: 'waiting' });
    project.take({ event: 'cancel', id: 'waiting', because: 'superseded' });
    expect(project.rows.waiting).toBe('superseded');
  });
});

describe('finish', () => {
  test('live sets the release of its place, and names the one before', () => {
    const project = new Project();
    const live = { place: 'web', releaseId: 'release of web', deploymentId: 'web', before: undefined };
    project.running('web');
    expect(project.take({ event: 'finish', id: 'web', state: 'live' }).live).toEqual(live);
    project.create({ id: 'next' });
    project.running('next');
    expect(project.take({ event: 'finish', id: 'next', state: 'live' }).live).toMatchObject({
      releaseId: 'release of next',
      before: 'release of web',
    });
  });

  test('failed and cancelled ones leave the release of their place', () => {
    const project = new Project();
    project.running('web');
    expect(project.take({ event: 'finish', id: 'web', state: 'failed' }).live).toBeUndefined();
    expect(project.snapshot.live.size).toBe(0);
  });

  test('one that waits can fail, which closes its approval, and cannot finish otherwise', () => {
    const project = new Project();
    project.create({ id: 'held', approvalId: 'asked' });
    expect(project.decide({ event: 'finish', id: 'held', state: 'live' })).toEqual({
      refused: 'not-claimed',
      state: 'pending',
    });
    expect(project.take({ event: 'finish', id: 'held', state: 'failed' }).closed).toEqual([
      { approvalId: 'asked', decision: 'cancelled' },
    ]);
    expect(project.rows.held).toBe('failed');
  });

  test('an end that comes again changes nothing: the first one counts', () => {
    const project = new Project();
    project.running('web');
    project.take({ event: 'finish', id: 'web', state: 'live' });
    expect(project.take({ event: 'finish', id: 'web', state: 'failed' })).toMatchObject({ update: [], wake: [] });
  });
});

describe('suspend', () => {
  test('a start of a suspended service is refused, held or not, and so is the whole change set', () => {
    const project = new Project(10, ['web']);
    const refused = { refused: 'service-suspended', places: ['web'] };
    expect(project.decide(create({ id: 'one' }))).toEqual(refused);
    expect(project.decide(create({ id: 'one', approvalId: 'asked' }))).toEqual(refused);
    expect(project.decide(create({ id: 'one' }, { id: 'other', place: 'api' }))).toEqual(refused);
  });

  test('a suspended service can be resumed, and others are not concerned', () => {
    const project = new Project(10, ['web']);
    project.create({ id: 'resumed', kind: 'resume' }, { id: 'other', place: 'api' });
    expect(project.rows).toMatchObject({ resumed: 'pending', other: 'pending' });
  });
});
