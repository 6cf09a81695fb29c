import { expect, test } from 'vitest';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { isHintKind } from '../hints.ts';
import { hintColumn } from './actors.ts';

test('a hint of its own kind tells the id of the row, one of the kind of its thing the id of that thing', () => {
  expect(hintColumn({ hint: 'agent_update', belongsTo: 'cluster' })).toBe('id');
  expect(hintColumn({ hint: 'cluster', belongsTo: 'cluster' })).toBe('cluster_id');
  expect(hintColumn({ hint: 'cluster', belongsTo: 'organization' })).toBe('id');
  expect(hintColumn({ hint: 'deletion', belongsTo: null })).toBe('id');
});

test('an actor is told of by hints about its own table, or about the thing that it belongs to', () => {
  for (const kind of actorKinds) {
    const { table, belongsTo, hint } = descriptors[kind];
    expect(isHintKind(hint)).toBe(true);
    expect([table, belongsTo]).toContain(hint);
  }
});
