import type { z } from 'zod';
import type { looseningSchema } from '../api/guards/operations.ts';
import { command } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

export const guardUndo = command({
  summary: 'Undoes the loosening of a guard of production',
  usage: 'ID [--json]',
  details: `By the id that \`./ballast attention\` shows and the notification names. An environment is of production again, a service needs approvals again, a
trusted issuer or a role is again what it was, unless somebody has changed it since. Takes the token of an admin.`,
  options: restOptions,
  run: async (given, [id = '']) => {
    const path = `/guard-loosenings/${encodeURIComponent(id)}/undo`;
    const undone = await new Rest(given).call<z.output<typeof looseningSchema>>('POST', path);
    return { json: undone, text: said`Undone: ${undone.title}.` };
  },
});
