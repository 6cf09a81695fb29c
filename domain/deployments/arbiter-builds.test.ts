import { expect, test } from 'vitest';
import { approve, claim, Project } from '../../test/arbiter/project.ts';
import type { AdmissionEvent } from './arbiter-types.ts';

const unbuilt = (id: string): AdmissionEvent => ({ event: 'unbuilt', id });

/** A project in which the image of `api` is being made: its deployment is to come by that name. */
function building(concurrency = 10): Project {
  const project = new Project(concurrency);
  project.snapshot = { ...project.snapshot, building: new Set(['api']) };
  return project;
}

/** The deployment of what was built: nothing is to come any more. */
function built(project: Project): void {
  project.create({ id: 'api', place: 'api', changeSetId: 'set' });
  project.snapshot = { ...project.snapshot, building: new Set() };
}

test('one that comes after a build waits for it, then for its deployment, and begins when that is live', () => {
  const project = building();
  project.create({ id: 'web', place: 'web', changeSetId: 'set', after: ['api'] });
  expect(project.rows.web).toBe('pending build');
  expect(project.take(claim('web'))).toMatchObject({ claimed: false });
  built(project);
  expect(project.rows.web).toBe('pending dependency');
  project.running('api');
  expect(project.take({ event: 'finish', id: 'api', state: 'live' }).wake).toEqual(['web']);
});

test('it takes no slot meanwhile', () => {
  const project = building(1);
  project.create({ id: 'web', place: 'web', changeSetId: 'set', after: ['api'] });
  project.create({ id: 'other', place: 'other', queue: false });
  expect(project.rows.other).toBe('pending');
});

test('a build without a deployment ends those that wait for it, and those after them, once', () => {
  const project = building();
  project.create(
    { id: 'web', place: 'web', changeSetId: 'set', after: ['api'] },
    { id: 'edge', place: 'edge', changeSetId: 'set', after: ['web'] },
    { id: 'alone', place: 'alone', changeSetId: 'set' },
  );
  project.snapshot = { ...project.snapshot, building: new Set() };
  const { update, stop } = project.take(unbuilt('api'));
  expect(stop).toEqual(['web', 'edge']);
  // The second one waited for a dependency already.
  expect(update).toEqual([
    { id: 'web', state: 'cancelled', blocker: 'dependency' },
    { id: 'edge', state: 'cancelled' },
  ]);
  expect(project.take(unbuilt('api'))).toMatchObject({ update: [], stop: [] });
});

test('a build that has a deployment is not missed', () => {
  const project = building();
  project.create({ id: 'web', place: 'web', changeSetId: 'set', after: ['api'] });
  built(project);
  expect(project.take(unbuilt('api'))).toMatchObject({ update: [], stop: [] });
});

test('one that was held waits for the build once it is approved', () => {
  const project = building();
  project.create({ id: 'web', place: 'web', changeSetId: 'set', approvalId: 'asked', after: ['api'] });
  project.take(approve('asked'));
  expect(project.rows.web).toBe('pending build');
});
