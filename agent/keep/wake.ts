const together = 20;

/** Waits for a sign that something happened; signs that come together wake once. */
export class Wake {
  #woken = false;
  #resolve: (() => void) | undefined;

  up(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  async wait(atMost: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, atMost);
      });
      this.#resolve = undefined;
      clearTimeout(timer);
    }
    await new Promise((resolve) => setTimeout(resolve, together));
    this.#woken = false;
  }
}
