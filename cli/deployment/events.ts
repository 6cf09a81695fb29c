/**
 * Lines of JSON for programs that watch a command with `--json`: on the standard error as it happens, so that the result stays
 * alone on the standard output.
 */
export class Events {
  readonly #last = new Map<string, string>();

  /** Told once for as long as nothing of it changes. `id`: the thing that it is about. */
  tell(event: string, id: string, facts: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(facts);
    const key = `${event} ${id}`;
    if (this.#last.get(key) === text) return;
    this.#last.set(key, text);
    process.stderr.write(`${JSON.stringify({ event, at: new Date().toISOString(), ...facts })}\n`);
  }
}
