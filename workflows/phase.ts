import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from '../domain/search-attributes.ts';

const phaseKey = defineSearchAttributeKey(searchAttributes.phase, 'KEYWORD');

/** Shows the operator where the actor stands. Nothing of ours reads it. */
export function showPhase(phase: string): void {
  upsertSearchAttributes([{ key: phaseKey, value: phase }]);
}
