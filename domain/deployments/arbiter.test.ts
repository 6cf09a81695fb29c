import { describe, expect, test } from 'vitest';
import { carryOut } from '../../test/arbiter/carry-out.ts';
import { decide } from './arbiter.ts';
import type { Admission, AdmissionEvent, Admitted, Decision, New, Snapshot } from './arbiter-types.ts';

/** A project that takes events one after the other. */
class Project {
  snapshot: Snapshot;
  /** Every deployment by id: its state and blocker, or the final state. */
  readonly rows: Record<string, string> = {};

  constructor(concurrency = 10, suspended: readonly string[] = []) {
    this.snapshot = { concurrency, deployments: [], suspended: new Set(suspended), live: new Map() };
  }

  decide(event: AdmissionEvent): Decision {
    return decide(this.snapshot, event);
  }

  /** The event must not be refused. */
  take(event: AdmissionEvent): Admission {
    const decision = this.decide(event);
    if ('refused' in decision) throw new Error(`${event.event} is refused: ${decision.refused}`);
    this.snapshot = carryOut(this.snapshot, decision);
    for (const { id, state } of decision.update) if (state !== undefined) this.rows[id] = state;
    for (const one of this.snapshot.deployments) this.rows[one.id] = [one.state, one.blocker].filter(Boolean).join(' ');
    return decision;
  }

  create(...deployments: readonly (Partial<New> & { id: string })[]): Admission {
    return this.take({ event: 'create', deployments: deployments.map(requested) });
  }

  running(...ids: readonly string[]): void {
    for (const id of ids) {
      if (!(id in this.rows)) this.create({ id, place: id });
      this.take({ event: 'claim', id });
    }
  }

  reaches(id: string, state: Admitted['state']): void {
    const deployments = this.snapshot.deployments.map((one) => (one.id === id ? { ...one, state } : one));
    this.snapshot = { ...this.snapshot, deployments };
  }
}

function requested(one: Partial<New> & { id: string }): New {
  return { place: 'web', releaseId: `release of ${one.id}`, kind: 'deploy', queue: true, ...one };
}

const create = (...deployments: readonly (Partial<New> & { id: string })[]): AdmissionEvent => ({
  event: 'create',
  deployments: deployments.map(requested),
});
const cancel = (id: string): AdmissionEvent => ({ event: 'cancel', id, because: 'person' });
const claim = (id: string): AdmissionEvent => ({ event: 'claim', id });
const approve = (approvalId: string): AdmissionEvent => ({ event: 'decide', approvalId, decision: 'approved' });

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
