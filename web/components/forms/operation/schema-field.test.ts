import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import bodies from '../../../control-plane/bodies.json' with { type: 'json' };
import type { Body, FieldRule } from '../../../control-plane/body.ts';
import { SchemaField } from './schema-field.tsx';

const shown = (name: string, rule: FieldRule, value?: unknown, onChange = () => {}): string =>
  renderToStaticMarkup(
    createElement(SchemaField, { name, rule, words: {}, required: false, first: false, value, onChange }),
  );

test('every field of an operation that is no list and no object has a control', () => {
  const fields = Object.values(bodies as Record<string, Body>).flatMap((body) => Object.entries(body.fields));
  const native = fields.filter(([, { type }]) => type !== undefined && !['array', 'object'].includes(type));
  expect(native.length).toBeGreaterThan(100);
  for (const [name, rule] of native) expect(shown(name, rule), name).toMatch(/<(input|fieldset)/);
});

test('a switch is a box with its label, checked as its value is', () => {
  const rule: FieldRule = { type: 'boolean' };
  expect(shown('fixedPort', rule, true)).toMatch(/type="checkbox"[^>]*checked="".*Fixed port/);
  expect(shown('fixedPort', rule)).not.toContain('checked=""');
});
