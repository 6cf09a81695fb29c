import { expect, test } from 'vitest';
import { readSettings } from '../../../domain/settings/settings.ts';
import { operations } from '../../operations.ts';
import { namedOperations } from '../registry.ts';
import { openapiDocument } from './document.ts';

const { paths } = openapiDocument(namedOperations(operations), '1.0.0', readSettings({}));

test('paths that differ only in the names of their parameters are one, by the names of the first', () => {
  const shapes = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
  expect(new Set(shapes).size).toBe(shapes.length);
  const invitation = paths['/api/v1/invitations/{id}'];
  expect(Object.keys(invitation ?? {}).sort()).toEqual(['delete', 'get']);
  expect(invitation?.get?.parameters).toMatchObject([
    { name: 'id', in: 'path', description: expect.stringMatching(/token/) },
  ]);
});

test('every parameter in a path is described, and no other', () => {
  for (const [path, methods] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { operationId, parameters } of Object.values(methods)) {
      const described = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      expect(described.sort(), operationId).toEqual(named.sort());
    }
  }
});
