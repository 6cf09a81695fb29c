import { Cron } from 'croner';

/** Why a cron process cannot run by this schedule in this time zone. */
export function scheduleFault(
  schedule: string,
  timeZone: string,
): { field: 'schedule' | 'timeZone'; message: string } | undefined {
  if (schedule.trim().split(/\s+/).length !== 5) {
    return { field: 'schedule', message: 'must have five fields, as in `*/5 * * * *`' };
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    return { field: 'timeZone', message: 'is no time zone, as in `Europe/Berlin`' };
  }
  try {
    if (new Cron(schedule, { timezone: timeZone, paused: true }).nextRun() !== null) return undefined;
  } catch {
    return { field: 'schedule', message: 'cannot be read, as `*/5 * * * *` can' };
  }
  return { field: 'schedule', message: 'names no moment that ever comes' };
}
