import type { AuditRecord } from './audit-words.ts';
import { auditSentence } from './audit-words.ts';

export type ExportFormat = 'csv' | 'ndjson';
/** Larger exports page through the API itself, not in a browser. */
export const mostExported = 20_000;

type Page = { items: AuditRecord[]; nextCursor?: string | undefined };

/** All records that `ask` answers, page after page, up to the most that are exported. */
export async function allRecords(
  ask: (cursor: string | undefined) => Promise<Page>,
  progress: (count: number) => void,
): Promise<{ records: AuditRecord[]; complete: boolean }> {
  const records: AuditRecord[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask(cursor);
    records.push(...page.items);
    progress(records.length);
    cursor = page.nextCursor;
    if (cursor === undefined) return { records, complete: true };
    if (records.length >= mostExported) return { records, complete: false };
  }
}

export function exportText(records: readonly AuditRecord[], format: ExportFormat): string {
  if (format === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return [columns.map(([name]) => name), ...records.map((record) => columns.map(([, value]) => value(record)))]
    .map((line) => `${line.map(csvCell).join(',')}\r\n`)
    .join('');
}

const columns: readonly [name: string, value: (record: AuditRecord) => string][] = [
  ['at', ({ at }) => at],
  ['what happened', auditSentence],
  ['action', ({ action }) => action],
  ['actor kind', ({ actor }) => actor.kind],
  ['actor id', ({ actor }) => actor.id],
  ['actor name', ({ actor }) => actor.name],
  ['ip', ({ ip }) => ip ?? ''],
  ['subject kind', ({ subject }) => subject.kind],
  ['subject id', ({ subject }) => subject.id],
  ['subject name', ({ subject }) => subject.name ?? ''],
  ['request id', ({ requestId }) => requestId ?? ''],
  ['details', ({ details }) => (details === undefined ? '' : JSON.stringify(details))],
  ['id', ({ id }) => id],
];

/** Names are chosen by people: none may become a formula in the program that opens the file. */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
