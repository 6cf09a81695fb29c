import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { decide } from './decide.ts';

export const reject = command({
  summary: 'Rejects a change that is held',
  usage: '[APPROVAL] [--reason TEXT] [--json]',
  details: 'Without an id it is the only approval that waits. What was staged returns to the draft of its environment.',
  words: { least: 0, most: 1 },
  options: { reason: { type: 'string', value: 'TEXT', what: 'Why, for the person who requested it.' }, ...restOptions },
  run: (given, [id]) => decide(given, id, 'rejected'),
});
