import { pino } from 'pino';
import { expect, test } from 'vitest';
import { redaction } from './redaction.ts';

test('a secret is left out of a log line at each depth, and so is what an error of PostgreSQL quotes', () => {
  const lines: string[] = [];
  const log = pino({ redact: redaction }, { write: (text: string) => void lines.push(text) });
  const quoting = Object.assign(new Error('duplicate key'), { detail: 'Key (email)=(ann@example.org) exists.' });
  log.warn({ token: 'svc_a', request: { cookie: 'svc_b', headers: { authorization: 'svc_c' } }, err: quoting }, 'said');
  expect(lines.join()).toContain('duplicate key');
  expect(lines.join()).not.toMatch(/svc_|ann@example/);
});
