/** A failure that no retry can mend: shown to people as a sentence, and confined to its own command or workload. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
