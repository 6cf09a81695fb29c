import type { Benchmark, Figures, Row } from './benchmark.ts';

/** `failed`: the run fails. `explain`: docs/performance.md must say why, with a profile. */
export type Verdict = 'good' | 'explain' | 'failed';

export interface Measured extends Row {
  benchmark: string;
  /** Medians of the rounds. */
  reference: number;
  subject: number;
  /** 1: as good as the reference; 0.5: half as good, whatever is better, more or less. */
  ratio: number;
  verdict: Verdict;
  rounds: { reference: number[]; subject: number[] };
}

const failsBelow = 0.5;
const explainBelow = 0.7;

/**
 * Runs reference and subject in turn, the other one first in each round, so that what drifts drifts for both. Whatever
 * happens, what was opened is closed.
 */
export async function measure(
  benchmark: Benchmark,
  rounds: number,
  progress: (text: string) => void,
  signal?: AbortSignal,
): Promise<Measured[]> {
  progress(`${benchmark.name}: preparing`);
  await using opened = await benchmark.open();
  const figures: { reference: Figures[]; subject: Figures[] } = { reference: [], subject: [] };
  for (let round = 0; round < rounds; round += 1) {
    progress(`${benchmark.name}: round ${round + 1} of ${rounds}`);
    const order = round % 2 === 0 ? (['reference', 'subject'] as const) : (['subject', 'reference'] as const);
    for (const side of order) {
      signal?.throwIfAborted();
      figures[side].push(await opened[side](round));
    }
  }
  return benchmark.rows.map((row) => {
    const of = (side: Figures[]): number[] => side.map((one) => figureOf(one, row.name));
    return compared(benchmark.name, row, { reference: of(figures.reference), subject: of(figures.subject) });
  });
}

export function compared(benchmark: string, row: Row, rounds: Measured['rounds']): Measured {
  const reference = median(rounds.reference);
  const subject = median(rounds.subject);
  const ratio = row.better === 'more' ? subject / reference : reference / subject;
  const { mostBeside, ...told } = row;
  if (mostBeside === undefined) {
    return { benchmark, ...told, reference, subject, ratio, verdict: verdictOn(row, subject, ratio), rounds };
  }
  const most = mostBeside(reference);
  const verdict = subject <= most ? 'good' : 'failed';
  return { benchmark, ...told, most, reference, subject, ratio, verdict, rounds };
}

function verdictOn(row: Row, subject: number, ratio: number): Verdict {
  // A figure that is none, as when a side answered nothing, fails as well.
  if (!(ratio >= (row.leastRatio ?? failsBelow)) || subject > (row.most ?? Number.POSITIVE_INFINITY)) return 'failed';
  return ratio < explainBelow ? 'explain' : 'good';
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function figureOf(figures: Figures, row: string): number {
  const figure = figures[row];
  if (figure === undefined) throw new Error(`The row "${row}" was not measured.`);
  return figure;
}
