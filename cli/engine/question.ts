import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted } from './interrupted.ts';

/** Whether somebody sits there who can answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal; anything but yes is no, and so is Ctrl-D. */
export async function agreed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await answered(lines, `${question} [y/N] `);
  if (answer === undefined) process.stderr.write('\n');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** Asks for a text, as the answer to something that cannot be undone by mistake. */
export async function typedAgain(question: string, text: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await answered(lines, `${question} `);
  if (answer === undefined) process.stderr.write('\n');
  return answer?.trim() === text.trim();
}

/** Asks for a value that must not be seen. */
export async function hidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Not before: until then the terminal itself shows what is typed.
  process.stderr.write(question);
  try {
    const answer = await answered(lines, '');
    if (answer === undefined) throw new Interrupted('No value was given, and nothing was changed.');
    return answer;
  } finally {
    process.stderr.write('\n');
  }
}

/** Undefined: the input has ended. A terminal that lines are read from tells of Ctrl-C itself, not by a signal. */
async function answered(lines: Interface, question: string): Promise<string | undefined> {
  const ending = new AbortController();
  let interrupted = false;
  lines.once('SIGINT', () => {
    interrupted = true;
    lines.close();
  });
  lines.once('close', () => ending.abort());
  try {
    return await lines.question(question, { signal: ending.signal });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    if (!interrupted) return undefined;
    throw new Interrupted('Interrupted; nothing was changed.');
  } finally {
    lines.close();
  }
}
