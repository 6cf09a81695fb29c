/** What cannot be done whatever one tries again: said to people in a sentence, and no obstacle for anything else. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
