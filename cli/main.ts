import { commands } from './commands.ts';
import { runWords } from './engine/run-words.ts';

await runWords(process.argv.slice(2), commands);
