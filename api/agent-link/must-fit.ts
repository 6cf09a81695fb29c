import { Problem } from '../../domain/problems.ts';

const largest = 2_147_483_647;

/** Refuses numbers that no column holds; the protocol knows no bound, but nothing real comes near it. */
export function mustFit(location: string, ...numbers: (number | undefined)[]): void {
  if (numbers.every((number) => number === undefined || Math.abs(number) <= largest)) return;
  const errors = [{ message: `must be at most ${largest}`, location }];
  throw new Problem('invalid-field', 'The message of the agent does not follow the protocol.', { errors });
}
