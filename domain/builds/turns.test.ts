import { expect, test } from 'vitest';
import { type OpenBuild, turnsOf, waitsFor } from './states.ts';

const build = (id: string, projectId: string, more: Partial<OpenBuild> = {}): OpenBuild => ({
  id,
  projectId,
  environmentId: `${projectId}/staging`,
  serviceId: `service of ${id}`,
  running: false,
  createdAt: Number(id.replace(/\D/g, '')),
  ...more,
});

test('as many as there are places, the oldest first', () => {
  const open = [build('3', 'shop'), build('1', 'shop'), build('2', 'shop')];
  expect(turnsOf(open, 2)).toEqual(['1', '2']);
  expect(turnsOf([build('9', 'shop', { running: true }), ...open], 2)).toEqual(['1']);
  expect(turnsOf([], 2)).toEqual([]);
});

test('forty builds of one project beside one of another: that one is next', () => {
  const many = Array.from({ length: 40 }, (_, at) => build(`${at + 1}`, 'shop', { running: at === 0 }));
  const other = build('99', 'blog');
  expect(turnsOf([...many, other], 1)).toEqual([]);
  expect(turnsOf([...many.slice(1), other], 1)).toEqual(['2']);
  expect(turnsOf([...many, other], 2)).toEqual(['99']);
  expect(turnsOf([...many, other], 3)).toEqual(['99', '2']);
});

test('a service builds one at a time in an environment, and in two environments at once', () => {
  const of = { serviceId: 'web' };
  const [first, second] = [build('1', 'shop', of), build('2', 'shop', of)];
  expect(turnsOf([first, second, build('3', 'shop')], 2)).toEqual(['1', '3']);
  expect(turnsOf([{ ...first, running: true }, second], 2)).toEqual([]);
  expect(
    turnsOf(
      [
        { ...first, running: true },
        { ...second, environmentId: 'shop/production' },
      ],
      2,
    ),
  ).toEqual(['2']);
});

test('a build that waits says for what', () => {
  const of = { serviceId: 'web' };
  const open = [build('1', 'shop', { ...of, running: true }), build('2', 'shop', of), build('3', 'shop')];
  expect(waitsFor(open, '2')).toBe('Waits for the build of this service that is running here.');
  expect(waitsFor(open, '3', 1)).toBe('Waits for another build that is running on the cluster.');
  const two = [...open, build('4', 'blog', { running: true })];
  expect(waitsFor(two, '3')).toBe('Waits for one of 2 builds that are running on the cluster.');
});

test('of those that have their turn and do not run yet it does not say that they run', () => {
  const of = { serviceId: 'web' };
  const open = [build('1', 'shop', of), build('2', 'shop', of), build('3', 'shop'), build('4', 'shop')];
  expect(waitsFor(open, '2')).toBe('Waits for the build of this service that comes before it.');
  expect(waitsFor(open, '4')).toBe('Waits for one of 2 builds that are before it on the cluster.');
  expect(waitsFor(open, '4', 1)).toBe('Waits for another build that is before it on the cluster.');
});
