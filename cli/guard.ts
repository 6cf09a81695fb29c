import type { z } from 'zod';
import type { looseningSchema } from '../api/guards/operations.ts';
import { command } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { printable } from './engine/table.ts';

export const guardUndo = command({
  summary: 'Undoes the loosening of a guard of production',
  usage: 'ID [--json]',
  details: `By the id that \`./ballast attention\` shows and the notification names. An environment is of production again, a service needs approvals again, a
trusted issuer or a role is again what it was, unless somebody has changed it since. Takes the token of an admin.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const path = `/guard-loosenings/${encodeURIComponent(id)}/undo`;
    const undone = await new Rest(given).call<z.output<typeof looseningSchema>>('POST', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify(undone, undefined, 2)}\n`);
    process.stdout.write(`Undone: ${printable(undone.title)}.\n`);
  },
});
