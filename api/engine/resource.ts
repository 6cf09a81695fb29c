import type { Kysely } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';

/** A kind of thing that belongs to an organization, as operations look it up on behalf of their caller. */
export interface Resource<T> {
  /** As people call it. */
  noun: string;
  find(kysely: Kysely<Tables>, organizationId: string, id: string): Promise<T | undefined>;
  /** Of a thing that belongs to a project: tokens limited to other projects do not see it. */
  projectOf?(found: T): string;
  /** Of a thing that some projects may use, or all: tokens limited to others do not see it. */
  projectsOf?(found: T): readonly string[] | 'all';
}

export function resource<T>(
  noun: string,
  find: Resource<T>['find'],
  projectOf?: (found: NoInfer<T>) => string,
): Resource<T> {
  return projectOf === undefined ? { noun, find } : { noun, find, projectOf };
}

/** One of the whole organization, which a token limited to projects sees as far as these may use it. */
export function sharedResource<T>(
  noun: string,
  find: Resource<T>['find'],
  projectsOf: (found: NoInfer<T>) => readonly string[] | 'all',
): Resource<T> {
  return { noun, find, projectsOf };
}
