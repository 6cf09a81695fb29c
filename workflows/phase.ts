import { defineSearchAttributeKey } from '@temporalio/common';
import { log, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from '../domain/search-attributes.ts';

const phaseKey = defineSearchAttributeKey(searchAttributes.phase, 'KEYWORD');

/** Shows the operator where the actor stands, in the log and in Temporal's search. Nothing of ours reads it. */
export function showPhase(phase: string): void {
  log.info('The actor has a new phase', { phase });
  upsertSearchAttributes([{ key: phaseKey, value: phase }]);
}
