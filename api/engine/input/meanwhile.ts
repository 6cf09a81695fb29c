import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { type AuditRecordView, listAuditRecords } from '../../../db/engine/audit.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { type Meanwhile, Problem } from '../../../domain/problems.ts';

/**
 * Keeps two people from overwriting each other: `was` in a body says what the client saw before it changed something. A field
 * that is something else by now is 409 `changed-meanwhile`, with its value, who changed it and when. Fields that others
 * changed and this request does not touch are left alone, so two changes of different fields do not collide.
 */
export function withWas<Shape extends z.ZodRawShape>(fields: z.ZodObject<Shape, z.core.$strict>) {
  return fields.extend({
    was: fields
      .partial()
      .optional()
      .describe('The values before the change, as the client saw them: if one is another by now, the answer is 409.'),
  });
}

/** The thing that is changed, as the audit log names it. */
interface Subject {
  organizationId: string;
  kind: string;
  id: string;
}

type SentFields<Fields> = { [Field in keyof NoInfer<Fields>]?: Fields[Field] | undefined };

/** To be asked under the lock of the row: `is` are its values, `wanted` those of the body without `was`. */
export async function refuseChangedMeanwhile<Fields extends object>(
  kysely: Kysely<Tables>,
  subject: Subject,
  { is, was, wanted }: { is: Fields; was: SentFields<Fields> | undefined; wanted: SentFields<Fields> },
): Promise<void> {
  if (was === undefined) return;
  const changed = (Object.keys(wanted) as (keyof Fields & string)[]).filter(
    (field) =>
      was[field] !== undefined &&
      wanted[field] !== undefined &&
      !isDeepStrictEqual(is[field], was[field]) &&
      !isDeepStrictEqual(is[field], wanted[field]),
  );
  if (changed.length === 0) return;
  const records = await listAuditRecords(
    kysely,
    subject.organizationId,
    { subjectKind: subject.kind, subjectId: subject.id },
    { limit: 50 },
  );
  const meanwhile = changed.map((field) => {
    const last = records.find((record) => tells(record, field, is[field]));
    const by = last === undefined ? {} : { by: last.actor.name, at: last.at.toISOString() };
    return { location: `body.${field}`, value: is[field] as unknown, ...by };
  });
  throw new Problem('changed-meanwhile', sentence(meanwhile), {
    errors: meanwhile.map(({ location, value }) => ({ location, message: 'was changed meanwhile', value })),
    meanwhile,
  });
}

/** Records of an action on one field say `from` and `to`; those of several fields the same beneath the name of each. */
function tells({ details }: AuditRecordView, field: string, value: unknown): boolean {
  if (details === null) return false;
  const about = Object.hasOwn(details, field) ? details[field] : details;
  return (
    typeof about === 'object' && about !== null && 'to' in about && isDeepStrictEqual(about.to ?? null, value ?? null)
  );
}

function sentence(meanwhile: readonly Meanwhile[]): string {
  const told = meanwhile.map(({ location, value, by = 'Somebody', at }) => {
    const what = typeof value === 'string' ? ` to "${value}"` : typeof value === 'number' ? ` to ${value}` : '';
    return `${by} changed ${location.slice('body.'.length)}${what}${at === undefined ? '' : ` at ${at}`}`;
  });
  return `${told.join(', ')}, after you had looked: look again, then change it.`;
}
