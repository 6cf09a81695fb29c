import type { z } from 'zod';
import type { AnyOperation } from './operation.ts';

/** The value of `$schema` in an answer. The URN names the schema; nothing is served there. */
export function schemaUri(name: string): string {
  return `urn:ballast:schema:${name}`;
}

/** The name of what an operation answers: that of its resource, `PageOfTeam` for a page, else the operation's own. */
export function answerName(operationName: string, operation: AnyOperation): string {
  const named = operation.result === undefined ? undefined : componentOf(operation.result);
  if (named === undefined) return `${capitalized(operationName)}Answer`;
  return operation.paged === undefined ? named : `PageOf${named}`;
}

/** The name that a schema was given with `.meta({ id })`. */
export function componentOf(schema: z.ZodType): string | undefined {
  return schema.meta()?.id;
}

function capitalized(operationName: string): string {
  return operationName.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
