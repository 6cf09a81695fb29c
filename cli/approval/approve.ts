import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { decide } from './decide.ts';

export const approve = command({
  summary: 'Approves a change that is held',
  usage: '[APPROVAL] [--reason TEXT] [--refresh] [--json]',
  details: `Without an id it is the only approval that waits. Administrators and owners decide, and not about what they have requested
themselves, unless nobody else may. A token decides as the person who created it, whose own changes are those of their other
tokens, too; one that \`./ballast token create\` made stands for who holds the installation. The console shows what would change.`,
  words: { least: 0, most: 1 },
  options: {
    reason: { type: 'string', value: 'TEXT', what: 'Why, for people who read the history.' },
    refresh: { type: 'boolean', what: 'Compose a stale one anew, as a new approval, and decide nothing yet.' },
    ...restOptions,
  },
  run: (given, [id]) => decide(given, id, 'approved'),
});
