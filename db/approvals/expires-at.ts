import { type RawBuilder, sql } from 'kysely';

/**
 * The end of an approval that is requested now, by the organization's setting. In hours: an interval of days is one of the
 * calendar, and an hour shorter or longer where the time zone of the session changes to or from summer time.
 */
export function expiresAt(organizationId: string, from: RawBuilder<Date> = sql<Date>`now()`): RawBuilder<Date> {
  return sql<Date>`${from} + make_interval(hours => (
    select approval_expiry_hours from organization where id = ${organizationId}))`;
}
