declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly cancellations: Cancellations;
  }
}

const againMillis = 6_000;
const most = 10_000;

/** Which cancellations this process has passed on a moment ago. Another process says it again; that does no harm. */
export class Cancellations {
  readonly #toldAt = new Map<string, number>();

  isDue(commandId: string): boolean {
    const now = performance.now();
    const toldAt = this.#toldAt.get(commandId);
    if (toldAt !== undefined && now - toldAt < againMillis) return false;
    this.#toldAt.delete(commandId);
    this.#toldAt.set(commandId, now);
    // The oldest come first.
    for (const [id, at] of this.#toldAt) {
      if (now - at < againMillis && this.#toldAt.size <= most) break;
      this.#toldAt.delete(id);
    }
    return true;
  }
}
