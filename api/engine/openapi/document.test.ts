import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readSettings } from '../../../domain/settings/settings.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { operations } from '../../operations.ts';
import { namedOperations } from '../registry.ts';
import { openapiDocument } from './document.ts';

const document = openapiDocument(namedOperations(operations), '1.0.0', readSettings({}));
const { paths } = document;

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

test('no parameter is a const, which generators of clients drop together with the operation', () => {
  const parameters = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters: all }) => all),
  );
  expect(parameters.length).toBeGreaterThan(100);
  expect(parameters.filter(({ schema }) => JSON.stringify(schema).includes('"const"'))).toEqual([]);
});

test('every pattern can be read by other languages: Python compiles each', () => {
  const patterns = new Set<string>();
  collect(document, patterns);
  expect(patterns.size).toBeGreaterThan(5);
  // Syntax that only JavaScript with the flag u knows.
  expect([...patterns].filter((pattern) => /\\[pP]\{|\\u\{|\(\?</.test(pattern))).toEqual([]);
  const program = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)\n';
  const python = spawnSync('python3', ['-c', program], { input: JSON.stringify([...patterns]), encoding: 'utf8' });
  if (python.error !== undefined) {
    notRun('python', 'install python3', 'python3');
    return;
  }
  expect(python.stderr).toBe('');
  expect(python.status).toBe(0);
});

function collect(value: unknown, patterns: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'pattern' && typeof inner === 'string') patterns.add(inner);
    else collect(inner, patterns);
  }
}
