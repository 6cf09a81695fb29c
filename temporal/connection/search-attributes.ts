import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { type SearchAttribute, searchAttributes } from '../../domain/search-attributes.ts';

export const searchAttributeNames: readonly string[] = Object.values(searchAttributes);

/** The pairs that Temporal takes, from the values that are known. */
export function searchAttributePairs(values: Partial<Record<SearchAttribute, string>>): SearchAttributePair[] {
  return Object.entries(searchAttributes).flatMap(([attribute, name]) => {
    const value = values[attribute as SearchAttribute];
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }];
  });
}
