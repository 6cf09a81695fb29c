import { openCursor, sealCursor } from '../../../db/engine/cursors.ts';
import type { JsonObject, JsonValue } from '../../../db/postgres/json.ts';
import { type Caller, OrganizationCaller } from '../caller.ts';
import type { Page, PageAnswer, Paged } from '../definition.ts';
import { type Input, invalidField } from './input.ts';

export interface PageContext {
  operation: string;
  caller: Caller | undefined;
  key: Buffer;
}

interface PageQuery extends JsonObject {
  limit: number;
}

/** The page that a request asks for. A cursor holds only in the list, the organization and the filters it was made in. */
export function requestedPage(context: PageContext, paged: Paged, input: Input): Page<unknown> {
  const { limit, cursor } = pageQuery(input);
  if (cursor === undefined) return { limit, after: undefined };
  const position = openCursor(context.key, String(cursor), binding(context, input));
  const after = paged.after.safeParse(position);
  if (position === undefined || !after.success) {
    throw invalidField(
      'query.cursor',
      'was not issued by the server for this list; leave it out to start from the beginning',
    );
  }
  return { limit, after: after.data };
}

export function answeredPage(context: PageContext, input: Input, answer: PageAnswer<unknown, JsonValue>): JsonObject {
  const items = answer.items as JsonValue[];
  const beside = (answer.beside ?? {}) as JsonObject;
  if (answer.after === undefined) return { items, ...beside };
  return { items, ...beside, nextCursor: sealCursor(context.key, { ...binding(context, input), after: answer.after }) };
}

function binding(context: PageContext, input: Input) {
  const { limit: _, cursor: __, ...filters } = pageQuery(input);
  const { caller } = context;
  return {
    operation: context.operation,
    organizationId: caller instanceof OrganizationCaller ? caller.organization.id : caller?.id,
    filters: { ...filters, path: input.path as JsonObject },
  };
}

function pageQuery(input: Input): PageQuery {
  return input.query as PageQuery;
}
