import type { Times } from '../../components/times/times.ts';

/** For how long a token may be good, as people choose it. */
export type Expiry = '30' | '90' | '365' | 'never' | 'date';

export const expiryChoices: readonly { value: Expiry; label: string }[] = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
];

/** The moment of expiry; undefined means never. A date lasts until its end in the reader's zone. */
export function expiryTime(expiry: Expiry, date: string, now: number, { dayBegin }: Times): string | undefined {
  if (expiry === 'never') return undefined;
  if (expiry === 'date') {
    const end = dayBegin(date, 1);
    // A day that is none is refused by the API, and never read as a token without an end.
    return end === undefined ? date : new Date(end.getTime() - 1_000).toISOString();
  }
  return new Date(now + Number(expiry) * 86_400_000).toISOString();
}
