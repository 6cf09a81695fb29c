import { expect, test } from 'vitest';
import type { ServiceAnswer } from '../../services/use-service.ts';
import type { ServiceOverview } from '../use-overview.ts';
import { edgesOf, heightOf, nodeOf, placedOf, placesOf } from './nodes.ts';

const overview = (id: string) => ({ serviceId: id, serviceName: id, serviceSlug: id }) as ServiceOverview;
const after = (id: string, via: 'reference' | 'depends-on') =>
  ({ id, kind: 'service', name: id, slug: id, keys: via === 'reference' ? ['URL'] : [], via }) as const;
const settings = (id: string, more: Partial<ServiceAnswer>) =>
  ({ id, deployAfter: [], ...more }) as unknown as ServiceAnswer;

const services = [
  settings('web', { deployAfter: [after('db', 'reference'), after('db', 'depends-on'), after('api', 'depends-on')] }),
  settings('api', { deployAfter: [after('elsewhere', 'depends-on'), after('api', 'depends-on')] }),
  settings('db', { volumes: [{ id: 'v', processId: 'p', name: 'data', sizeBytes: 1 }], canvasX: 7, canvasY: 9 }),
];
const placed = placedOf(['api', 'db', 'leaving', 'web'].map(overview), services);

test('a line goes to each service that is needed there, once, whole by a reference and broken by order alone', () => {
  const lines = edgesOf(placed).map(({ source, target, style }) => [source, target, style?.strokeDasharray]);
  expect(lines).toEqual([
    ['web', 'db', undefined],
    ['web', 'api', '5 4'],
  ]);
});

test('a service that is staged to be removed is still shown, without lines', () => {
  expect(placed.find(({ id }) => id === 'leaving')).toMatchObject({ needs: [], volumes: [] });
});

test('a box grows by its volumes, and stands where somebody put it', () => {
  const [api, db] = placed as [(typeof placed)[0], (typeof placed)[0]];
  expect(heightOf(db)).toBeGreaterThan(heightOf(api));
  const place = placesOf(placed).get('db');
  expect(place).toEqual({ x: 7, y: 9 });
  expect(nodeOf(db, place ?? { x: 0, y: 0 })).toMatchObject({ position: { x: 7, y: 9 }, height: heightOf(db) });
});
