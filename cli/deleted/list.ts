import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import type { DeletedItem } from './deleted-item.ts';

export const deletedList = command({
  summary: 'Lists deleted services, volumes, environments and projects',
  usage: '[--json]',
  details: 'Each can be restored until the time that is shown; then it is purged, with its data.',
  options: restOptions,
  run: async (given) => {
    const deleted = await new Rest(given).all<DeletedItem>('/deleted');
    if (given.json) return void process.stdout.write(`${JSON.stringify({ deleted }, undefined, 2)}\n`);
    if (deleted.length === 0) return void process.stdout.write('Nothing deleted can be restored.\n');
    const rows = deleted.map(({ kind, name, slug, context, deletedAt, deletedBy, restoreUntil, ...item }) => [
      ...[kind, slug === '' ? printable(name) : slug, printable(context), deletedAt, printable(deletedBy.name)],
      ...[item.restorable ? restoreUntil : item.state === 'retained' ? 'no' : item.state, printable(item.detail)],
    ]);
    process.stdout.write(asTable(['kind', 'name', 'of', 'deleted', 'by', 'restorable until', ''], rows));
  },
});
