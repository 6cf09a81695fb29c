import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { foreseenSentence } from '../engine/failure.ts';
import { answersFd, type Line, type Order } from './preparation.ts';

/** The child in which a start prepares PostgreSQL and Temporal: a line of its standard input is a task; it ends with its input. */
async function main(): Promise<void> {
  const { runTask } = await import('./prepare-tasks.ts');
  const say = (line: Line): void => {
    writeSync(answersFd, `${JSON.stringify(line)}\n`);
  };
  const over = new AbortController();
  for await (const line of createInterface({ input: process.stdin })) {
    const { task, env }: Order = JSON.parse(line);
    const tell = (progress: string): void => say({ task, progress });
    runTask({ task, env }, tell, over.signal).then(
      (answer) => say({ task, answer }),
      (error: unknown) => say({ task, failed: foreseenSentence(error) }),
    );
  }
  over.abort();
  // Nobody listens any more; a connection that hangs must not hold it.
  process.exit();
}

if (import.meta.main) await main();
